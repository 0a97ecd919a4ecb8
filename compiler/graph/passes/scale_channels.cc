// A depthwise convolution of one tap, of real numbers: a product and a sum by channel, which fuse
// with what stands around them. Normalisations behind an activation come as such.
#include <algorithm>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

bool ScalesChannels(const Graph& graph, const Node& node) {
  if (node.op != Op::kConv2d || graph.type(node.output).dtype != DType::kFloat32) return false;
  const Tensor* const weights = graph.constant(node.inputs[1]);
  const int64_t channels = graph.shape(node.inputs[0])[1];
  const auto all = [&](const char* attribute, int64_t value) {
    return std::ranges::count(node.Ints(attribute), value) == std::ssize(node.Ints(attribute));
  };
  return weights && channels > 1 && weights->shape() == Shape{channels, 1, 1, 1} &&
         node.Int("groups") == channels && all("strides", 1) && all("pads", 0) &&
         std::ranges::all_of(node.inputs, [&](ValueId input) {
           return input == node.inputs[0] || graph.constant(input);
         });
}

}  // namespace

Graph ScaleChannels(const Graph& graph, const PassContext&) {
  Rebuild rebuild(graph);
  Graph& fresh = rebuild.fresh();
  for (const Node& node : graph.nodes()) {
    if (!ScalesChannels(graph, node)) {
      rebuild.Copy(node);
      continue;
    }
    const Shape by_channel = {1, graph.shape(node.output)[1], 1, 1};
    ValueId value = rebuild.Map(node.inputs[0]);
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      const ValueId each = fresh.AddConstant(graph.value(node.inputs[i]).name,
                                             graph.constant(node.inputs[i])->Reshaped(by_channel));
      value = fresh.Emit(i == 1 ? Op::kMul : Op::kAdd, node.name, {value, each}, {});
    }
    rebuild.Replace(node, value);
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
