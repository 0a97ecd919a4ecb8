// How the CPU's kernels keep activations in memory.
#pragma once

#include <optional>

#include "compiler/graph/graph.h"
#include "compiler/targets/cpu/anchors.h"
#include "compiler/targets/cpu/intrinsics.h"

namespace vta::compiler::targets {

/// int8 products that are summed together.
inline constexpr int64_t kDot = 4;

/// Blocks that hold `channels` channels; the last one may have fewer.
inline int64_t BlocksOf(int64_t channels) { return (channels + kLanes - 1) / kLanes; }

/// Blocks of channels for float32 and int8 activations of rank 4, int8 codes biased; absent for all
/// others, which lie row by row.
std::optional<Storage> BlockedLayout(const TensorType& type);

/// Whether a block is four codes, which kernels store at once: their bytes are a number's on every
/// CPU that code is made for, the first one lowest.
bool IsWords(const Storage& storage);

/// Lanes that are worth a vector of their own.
inline constexpr int64_t kFewestLanes = 4;

/// Of channels that `concat` lays side by side the lanes that go together: no operand begins within
/// so many. 0 where not all operands are in blocks of kLanes, or other axes are joined.
int64_t LanesOfParts(const Graph& graph, const Node& concat);

/// How `node`, the first of a step, must find its first input: with the border that its window
/// reads, and where products of int8 are summed by fours in blocks; absent where it takes any.
std::optional<Storage> InputLayout(const Graph& graph, const Node& node, Arithmetic arithmetic);

/// Whether a kernel that begins with `node` writes only what is kept as above.
bool WritesBlocked(const Graph& graph, const Node& node, Arithmetic arithmetic);

}  // namespace vta::compiler::targets
