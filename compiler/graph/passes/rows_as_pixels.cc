// A stack of matrices times one matrix: dense_i8, of which a target takes the samples of a batch
// one by one. Its rows become the pixels of a convolution of one tap, which reads a weight once for
// many.
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

/// Whether the rows are those of more than a batch: they are reshaped, before or after, to more
/// dimensions than two.
bool IsStack(const Graph& graph, const Node& dense) {
  const auto is_deep = [&](const Shape& shape, int64_t last) {
    return shape.size() > 2 && shape.back() == last;
  };
  const Shape &in = graph.shape(dense.inputs[0]), &out = graph.shape(dense.output);
  const Node* const maker = graph.Producer(dense.inputs[0]);
  if (in[0] < 2) return false;
  if (maker && maker->op == Op::kReshape && is_deep(graph.shape(maker->inputs[0]), in[1]))
    return true;
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    return node.op == Op::kReshape && node.inputs[0] == dense.output &&
           is_deep(graph.shape(node.output), out[1]);
  });
}

}  // namespace

Graph RowsAsPixels(const Graph& graph, const PassContext& context) {
  Rebuild rebuild(graph);
  Graph& fresh = rebuild.fresh();
  for (const Node& node : graph.nodes()) {
    const Tensor* weights = node.op == Op::kDenseI8 ? graph.constant(node.inputs[1]) : nullptr;
    if (!weights || !IsStack(graph, node)) {
      rebuild.Copy(node);
      continue;
    }
    std::vector<ValueId> inputs = rebuild.MapInputs(node);
    const auto emit = [&](Op op, ValueId x, std::string_view attribute, const Shape& value) {
      return fresh.Emit(op, node.name, {x}, {{std::string(attribute), value}});
    };
    const int64_t rows = graph.shape(node.inputs[0])[0], outputs = weights->shape()[0],
                  depth = weights->shape()[1];
    const ValueId turned = emit(Op::kTranspose, inputs[0], "perm", {1, 0});
    inputs[0] = emit(Op::kReshape, turned, "shape", {1, depth, 1, rows});
    inputs[1] = fresh.AddConstant(graph.value(node.inputs[1]).name,
                                  weights->Reshaped({outputs, depth, 1, 1}));
    Attributes attributes = node.attributes;
    attributes.Set("strides", Shape{1, 1});
    attributes.Set("pads", Shape{0, 0, 0, 0});
    attributes.Set("dilations", Shape{1, 1});
    attributes.Set("groups", int64_t{1});
    attributes.Set("pad_value", int64_t{0});
    const ValueId made = fresh.Emit(Op::kConv2dI8, node.name, inputs, attributes);
    if (!IsTaken(fresh, made, context)) {
      rebuild.Copy(node);
      continue;
    }
    const ValueId plane = emit(Op::kReshape, made, "shape", {outputs, rows});
    rebuild.Replace(node, emit(Op::kTranspose, plane, "perm", {1, 0}));
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
