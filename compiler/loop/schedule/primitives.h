// The table of schedule primitives. Each has its own file; adding one is that file and a line of
// the table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/loop/ir.h"
#include "compiler/tensorize/intrinsic.h"

namespace vta::compiler::loop {

/// What a primitive gets: the function, which it rewrites, and its words.
struct Application {
  Function function;
  std::vector<std::string> args;
  std::span<const tensorize::IntrinsicRef> intrinsics;

  /// Errors: throws Error if the word is not a whole number in [low, high].
  int64_t Int(size_t i, std::string_view what, int64_t low, int64_t high) const;
};

struct Primitive {
  std::string_view name;
  // Names of the words; [the last] may be left out, and repeated if it ends with "...".
  std::string_view params;
  std::string_view makes;  // what the returned names are
  std::string_view meaning;
  std::vector<std::string> (*apply)(Application&);
};
std::span<const Primitive> Primitives();

std::vector<std::string> Annotate(Application& a);
std::vector<std::string> Bind(Application& a);
std::vector<std::string> CacheRead(Application& a);
std::vector<std::string> CacheWrite(Application& a);
std::vector<std::string> ComputeAt(Application& a);
std::vector<std::string> ComputeInline(Application& a);
std::vector<std::string> DecomposeReduction(Application& a);
std::vector<std::string> DoubleBuffer(Application& a);
std::vector<std::string> Fuse(Application& a);
std::vector<std::string> InPlace(Application& a);
std::vector<std::string> PadBuffer(Application& a);
std::vector<std::string> Parallel(Application& a);
std::vector<std::string> Partition(Application& a);
std::vector<std::string> Prefetch(Application& a);
std::vector<std::string> ReadAt(Application& a);
std::vector<std::string> Reorder(Application& a);
std::vector<std::string> ReverseComputeAt(Application& a);
std::vector<std::string> RFactor(Application& a);
std::vector<std::string> Roll(Application& a);
std::vector<std::string> SetScope(Application& a);
std::vector<std::string> SetStride(Application& a);
std::vector<std::string> Split(Application& a);
std::vector<std::string> SplitParts(Application& a);
std::vector<std::string> StorageAlign(Application& a);
std::vector<std::string> Tensorize(Application& a);
std::vector<std::string> Tile(Application& a);
std::vector<std::string> TransformLayout(Application& a);
std::vector<std::string> Unroll(Application& a);
std::vector<std::string> Vectorize(Application& a);
std::vector<std::string> VirtualThread(Application& a);

}  // namespace vta::compiler::loop
