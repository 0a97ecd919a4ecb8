// Where the result of a product of matrices lies behind reshapes and transposes: who makes an
// element stores it there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/gpu/tile.h"

namespace vta::compiler::targets {

/// A dimension of the result: of the product's batch, places or outputs the elements that are
/// `step` apart.
struct OutAxis {
  enum class Of : uint8_t { kBatch, kPlaces, kOutputs };
  Of of;
  int64_t size, step;

  bool operator==(const OutAxis&) const = default;
};

/// The dimensions of the last node's result that are longer than 1, of a product of rows, what is
/// done to each element of it, and moves, of which there is one at least; absent where one joins
/// what is of several, or parts places.
std::optional<std::vector<OutAxis>> OutAxesOf(const Graph& graph, std::span<const NodeId> nodes,
                                              const GpuProduct& product);

/// The outputs that lie together there.
int64_t OutputsTogether(const std::vector<OutAxis>& axes);

}  // namespace vta::compiler::targets
