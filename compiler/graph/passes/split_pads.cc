// Splitting pads: a convolution or pool that no target takes because of its pads, but one would
// take without them, becomes a pad for the target that takes the rest, and the bare layer. Some
// hardware pads with 0 only, or so far.
#include <algorithm>
#include <array>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

constexpr int64_t kLeastCode = -128;  // what a max pool pads with

bool IsPadded(const Node& node) {
  if (node.op != Op::kConv2dI8 && node.op != Op::kMaxPoolI8 && node.op != Op::kAvgPoolI8)
    return false;
  const std::vector<int64_t>& pads = node.Ints("pads");
  return std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad != 0; });
}

/// Emits the pad, which no target does because of `why`, and the layer without pads; returns what
/// the layer makes.
ValueId EmitSplit(const Node& node, std::vector<ValueId> inputs, const std::string& value_name,
                  const std::string& why, Graph* graph) {
  const std::vector<int64_t>& pads = node.Ints("pads");
  const int64_t value = node.op == Op::kMaxPoolI8 ? kLeastCode : node.Int("pad_value");
  inputs[0] = graph->Emit(Op::kPad, node.name + ".pad", {inputs[0]},
                          {{"mode", std::string("constant")},
                           {"pads", Shape{0, 0, pads[0], pads[1], 0, 0, pads[2], pads[3]}},
                           {"value", static_cast<double>(value)}});
  graph->Place(graph->value(inputs[0]).producer, kUnplaced, kNone, why);
  Attributes attributes = node.attributes;
  attributes.Set("pads", Shape(4));
  return graph->Emit(node.op, node.name, std::move(inputs), std::move(attributes), value_name);
}

/// Whether a target would take the layer after its split.
bool AnyTakesSplit(const Graph& graph, const Node& node, const PassContext& context) {
  Graph alone("split", graph.rounding());
  std::vector<ValueId> inputs;
  for (const ValueId input : node.inputs)
    inputs.push_back(graph.constant(input) ? alone.AddConstant("c", graph.value(input).constant)
                                           : alone.AddInput("x", graph.type(input)));
  const ValueId made = EmitSplit(node, std::move(inputs), "", "", &alone);
  return FirstTaker(alone, {&alone.value(made).producer, 1}, context) != nullptr;
}

/// Whether a target takes it, with its pads, in one kernel with the convolution before it.
bool AnyTakesGroup(const Graph& graph, NodeId id, const std::vector<int64_t>& uses,
                   const PassContext& context) {
  const NodeId conv = GroupedConvolution(graph, graph.nodes()[id], uses, context);
  return conv != kNone && FirstTaker(graph, std::array{conv, id}, context) != nullptr;
}

}  // namespace

Graph SplitPads(const Graph& graph, const PassContext& context) {
  Rebuild rebuild(graph);
  const std::vector<int64_t> uses = graph.UseCounts();
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    const Node& node = graph.nodes()[id];
    std::string why;
    if (IsPadded(node) && !FirstTaker(graph, {&id, 1}, context, &why) &&
        !AnyTakesGroup(graph, id, uses, context) && AnyTakesSplit(graph, node, context))
      rebuild.Replace(node, EmitSplit(node, rebuild.MapInputs(node), graph.value(node.output).name,
                                      why, &rebuild.fresh()));
    else
      rebuild.Copy(node);
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
