#include "compiler/targets/gpu/out_axes.h"

#include <algorithm>

#include "compiler/graph/ops.h"

namespace vta::compiler::targets {

namespace {

/// The axes as dimensions of a shape, of which some may be parts of one.
std::optional<std::vector<OutAxis>> Reshaped(const std::vector<OutAxis>& axes, const Shape& shape) {
  std::vector<OutAxis> out;
  size_t next = 0;
  int64_t left = 1;  // of the axis before `next`, that is not taken yet
  for (const int64_t size : shape) {
    if (size == 1) continue;
    if (left == 1) {
      if (next == axes.size()) return {};
      left = axes[next++].size;
    }
    if (left % size != 0) return {};
    left /= size;
    out.push_back({axes[next - 1].of, size, axes[next - 1].step * left});
  }
  if (left != 1 || next != axes.size()) return {};
  return out;
}

}  // namespace

std::optional<std::vector<OutAxis>> OutAxesOf(const Graph& graph, std::span<const NodeId> nodes,
                                              const GpuProduct& product) {
  using Of = OutAxis::Of;
  if (!product.rows || product.places == 1 || product.outputs == 1) return {};
  std::vector<OutAxis> axes;
  if (product.batch > 1) axes.push_back({Of::kBatch, product.batch, 1});
  axes.push_back({Of::kPlaces, product.places, 1});
  axes.push_back({Of::kOutputs, product.outputs, 1});
  std::optional<std::vector<OutAxis>> now =
      Reshaped(axes, graph.shape(graph.nodes()[nodes[0]].output));
  bool moves = false;
  Shape before = graph.shape(graph.nodes()[nodes[0]].output);
  for (const NodeId id : nodes.subspan(1)) {
    const Node& node = graph.nodes()[id];
    if (node.op != Op::kReshape && node.op != Op::kTranspose) {
      if (graph.shape(node.output) != before) return {};
      continue;
    }
    moves = true;
    before = graph.shape(node.output);
    if (!now) return {};
    if (node.op == Op::kReshape) {
      now = Reshaped(*now, graph.shape(node.output));
      continue;
    }
    const Shape& from = graph.shape(node.inputs[0]);
    std::vector<size_t> place(from.size());  // of each dimension among those longer than 1
    for (size_t d = 0, longer = 0; d < from.size(); ++d) place[d] = from[d] > 1 ? longer++ : 0;
    std::vector<OutAxis> moved;
    for (const int64_t d : node.Ints("perm"))
      if (from[d] > 1) moved.push_back((*now)[place[d]]);
    now = std::move(moved);
  }
  if (!moves || !now) return {};
  const bool parts_places = std::ranges::any_of(*now, [&](const OutAxis& axis) {
    return axis.of == Of::kPlaces && axis.size != product.places;
  });
  if (parts_places) return {};
  return now;
}

int64_t OutputsTogether(const std::vector<OutAxis>& axes) {
  const auto last = std::ranges::find_if(
      axes, [](const OutAxis& axis) { return axis.of == OutAxis::Of::kOutputs && axis.step == 1; });
  return last->size;
}

}  // namespace vta::compiler::targets
