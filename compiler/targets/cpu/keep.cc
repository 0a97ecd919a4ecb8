#include "compiler/targets/cpu/keep.h"

#include "compiler/graph/ops.h"

namespace vta::compiler::targets {
std::optional<Storage> KeptAs(const TensorType& type) {
  if (type.shape.size() != 4) return {};
  if (type.dtype == DType::kFloat32) return Storage{.channels = type.shape[1] < kDot ? 1 : kLanes};
  if (type.dtype == DType::kInt8)
    return Storage{.channels = type.shape[1] <= kDot ? kDot : kLanes, .biased = true};
  return {};
}

bool IsWords(const Storage& storage) { return storage.biased && storage.channels == kDot; }

std::optional<Storage> NeededBy(const Graph& graph, const Node& node, Arithmetic arithmetic) {
  const Head* head = FindHead(graph, node, arithmetic);
  if (!head) return {};
  std::optional<Storage> storage = KeptAs(graph.type(node.inputs[0]));
  if (!storage) return {};
  const Border border = head->border(graph, node);
  storage->border = border.sides;
  if (border.sides != std::array<int64_t, 4>{}) storage->fill = border.fill;
  return storage;
}

bool WritesKept(const Graph& graph, const Node& node) {
  return FindHead(graph, node, Arithmetic::kExact) && KeptAs(graph.type(node.output));
}

}  // namespace vta::compiler::targets
