// Phases of a transposed convolution whose channels do not fill a target's blocks get channels of
// zeros, where these are less than the others: its store can then interleave them.
#include <cstring>

#include "compiler/graph/ops.h"
#include "compiler/graph/ops/int8_common.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

/// The channels of a block on the first target that may have the node in blocks; 1 where none may.
int64_t BlockFor(const Node& node, const PassContext& context) {
  for (const Target* const target : context.targets)
    if (const auto layout = target->Layout(); layout && context.Allows(node, *target))
      return layout->channel;
  return 1;
}

/// Of `phases` phases side by side along the first axis each gets rows of zeros up to `wide`.
Tensor Filled(const Tensor& tensor, int64_t phases, int64_t wide) {
  Shape shape = tensor.shape();
  const int64_t rows = shape[0] / phases, row_bytes = tensor.type().bytes() / shape[0];
  shape[0] = phases * wide;
  Tensor filled({tensor.dtype(), shape});
  for (int64_t phase = 0; phase < phases; ++phase)
    std::memcpy(&filled.mutable_bytes()[phase * wide * row_bytes],
                &tensor.bytes()[phase * rows * row_bytes], rows * row_bytes);
  return filled;
}

}  // namespace

Graph FillPhases(const Graph& graph, const PassContext& context) {
  Rebuild rebuild(graph);
  const std::vector<int64_t> uses = graph.UseCounts();
  for (const Node& node : graph.nodes()) {
    const Node* const conv =
        node.op == Op::kDepthToSpace ? graph.Producer(node.inputs[0]) : nullptr;
    const Shape& shape = graph.shape(node.output);
    bool fits = conv && conv->op == Op::kConv2dI8 && conv->Int("groups") == 1 &&
                node.Int("groups") == 1 && shape.size() == 4 && uses[conv->output] == 1;
    for (size_t i = 1; fits && i < conv->inputs.size(); ++i) fits = graph.constant(conv->inputs[i]);
    const int64_t block = fits ? BlockFor(*conv, context) : 1;
    const int64_t channels = fits ? shape[1] : 0, wide = ops::RoundUp(channels, block);
    if (!fits || wide == channels || wide - channels >= channels) {
      rebuild.Copy(node);
      continue;
    }
    Graph& fresh = rebuild.fresh();
    std::vector<ValueId> inputs = {rebuild.Map(conv->inputs[0])};
    for (size_t i = 1; i < conv->inputs.size(); ++i) {
      const Tensor& constant = *graph.constant(conv->inputs[i]);
      inputs.push_back(fresh.AddConstant(graph.value(conv->inputs[i]).name,
                                         Filled(constant, constant.shape()[0] / channels, wide)));
    }
    const ValueId phases = fresh.Emit(conv->op, conv->name, inputs, conv->attributes);
    const ValueId all = fresh.Emit(node.op, node.name, {phases}, node.attributes);
    rebuild.Replace(
        node, fresh.Emit(
                  Op::kSlice, node.name, {all},
                  {{"starts", Shape{0, 0, 0, 0}}, {"steps", Shape{1, 1, 1, 1}}, {"shape", shape}}));
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
