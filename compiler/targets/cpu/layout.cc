#include "compiler/targets/cpu/layout.h"

#include <numeric>

#include "compiler/graph/ops.h"

namespace vta::compiler::targets {
std::optional<Storage> BlockedLayout(const TensorType& type) {
  if (type.shape.size() != 4) return {};
  if (type.dtype == DType::kFloat32) return Storage{.channels = type.shape[1] < kDot ? 1 : kLanes};
  if (type.dtype == DType::kInt8)
    return Storage{.channels = type.shape[1] <= kDot ? kDot : kLanes, .biased = true};
  return {};
}

bool IsWords(const Storage& storage) { return storage.biased && storage.channels == kDot; }

int64_t LanesOfParts(const Graph& graph, const Node& concat) {
  if (concat.op != Op::kConcat || concat.Int("axis") != 1) return 0;
  int64_t channels = 0, lanes = kLanes;
  for (ValueId input : concat.inputs) {
    const auto& storage = graph.value(input).storage;
    if (!storage || storage->channels != kLanes) return 0;
    lanes = std::gcd(lanes, channels);
    channels += graph.shape(input)[1];
  }
  return lanes;
}

std::optional<Storage> InputLayout(const Graph& graph, const Node& node, Arithmetic arithmetic) {
  const Anchor* anchor = FindAnchor(graph, node, arithmetic);
  if (!anchor) return {};
  std::optional<Storage> storage = BlockedLayout(graph.type(node.inputs[0]));
  if (!storage) return {};
  const WindowPads border = anchor->border(graph, node);
  storage->border = border.sides;
  if (border.sides != std::array<int64_t, 4>{}) storage->fill = border.fill;
  return storage;
}

bool WritesBlocked(const Graph& graph, const Node& node, Arithmetic arithmetic) {
  return FindAnchor(graph, node, arithmetic) && BlockedLayout(graph.type(node.output));
}

}  // namespace vta::compiler::targets
