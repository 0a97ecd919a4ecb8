// Folding a loop nest into hardware: two hardware loops, the rest as micro-ops.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/targets/vta/tasks/task.h"

namespace vta::compiler::targets {

/// A loop around a micro-op: how far each operand steps, in rows.
struct NestLoop {
  int64_t extent = 1;
  int64_t dst = 0, src = 0, wgt = 0;
  auto operator<=>(const NestLoop&) const = default;
};

/// Micro-ops that may run in any order: for each point of the loops those of `kernel`, moved by
/// first + sum of steps.
struct NestSpace {
  isa::Uop first;
  std::vector<NestLoop> loops;
  UopKernel kernel = {{}};
};
struct NestSpaceLess {
  bool operator()(const NestSpace& a, const NestSpace& b) const;
};

/// The micro-ops of a space with these loops, later loops fastest.
UopKernel Unrolled(const NestSpace& space, const std::vector<NestLoop>& loops);

/// Micro-ops that run one after the other.
enum class Neighbours {
  kAny,
  kOtherRows,   // have different dst, where points with different loops that step dst have
  kSameSource,  // have the same src where that can be: a requantisation waits for each change
};
inline constexpr int kNeighbours = 3;

/// Micro-ops of the loop nest that runs every point of a space once, with as few as two hardware
/// loops allow.
int64_t FewestUops(const isa::Config& config, const NestSpace& space);

/// The loop nests, mostly one, that together run every point once, with as few micro-ops as two
/// hardware loops allow. More than one where a kernel would not fit micro-op memory, or where
/// nothing lies between two micro-ops with the same dst; and with more of them where src then
/// changes less often, if that is asked for. The innermost hardware loop is one that
/// keeps src, where there is a choice.
std::vector<LoopNest> FoldNest(const isa::Config& config, const NestSpace& space,
                               Neighbours neighbours, TaskBuilder* builder);

}  // namespace vta::compiler::targets
