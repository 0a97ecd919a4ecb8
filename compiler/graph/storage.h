// How an activation lies in memory, where not row by row as its shape says: a choice of the target
// whose kernels alone touch it. What the graph computes does not depend on it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "compiler/graph/tensor.h"

namespace vta::compiler {

/// An activation [N,C,H,W] lies as [N, C/channels, top+H+bottom, left+W+right, channels], the
/// channels filled up to whole blocks with any finite values.
struct Storage {
  int64_t channels = 1;                // of a block
  std::array<int64_t, 4> border = {};  // top, left, bottom, right
  double fill = 0;                     // what the border holds
  bool biased = false;                 // int8 codes as uint8 ones, 128 higher
  bool halves = false;                 // float32 as the bits of numbers of 16 bits, int16
  bool operator==(const Storage&) const = default;

  /// Whether a reader that wants `want` finds it here: its blocks and codes, its border at least.
  bool Serves(const Storage& want) const;
  /// The type of what lies in memory.
  TensorType Of(const TensorType& type) const;
};

/// "blocks of 16, border 1 1 1 1 of 0, biased", "blocks of 2, halves".
std::string ToText(const Storage& storage);

}  // namespace vta::compiler
