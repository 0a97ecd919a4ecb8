#include "compiler/graph/evaluate.h"

#include "compiler/graph/ops.h"

namespace vta::compiler {

Tensor EvaluateNode(const Graph& graph, const Node& node,
                    const std::vector<const Tensor*>& inputs) {
  EvalView view{{node, {}}, inputs, graph.type(node.output), graph.rounding()};
  for (const Tensor* input : inputs) view.inputs.push_back(&input->type());
  Tensor result = Spec(node.op).evaluate(view);
  VTA_CHECK(result.type() == view.output, Spec(node.op).name, " made ", ToText(result.type()));
  return result;
}

std::vector<Tensor> Evaluate(const Graph& graph, const std::vector<Tensor>& inputs) {
  const size_t count = graph.inputs().size();
  if (inputs.size() != count)
    throw Error(graph.name(), "inputs", StrCat(inputs.size()), StrCat("must be ", count));
  std::vector<Tensor> owned(graph.values().size());
  std::vector<int64_t> uses = graph.UseCounts();
  for (size_t i = 0; i < count; ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    if (inputs[i].type() != value.type)
      throw Error(graph.name(), StrCat("input \"", value.name, "\""), ToText(inputs[i].type()),
                  StrCat("must be ", ToText(value.type)));
    owned[graph.inputs()[i]] = inputs[i];
  }
  auto get = [&](ValueId id) { return graph.constant(id) ? graph.constant(id) : &owned[id]; };
  for (const Node& node : graph.nodes()) {
    std::vector<const Tensor*> operands;
    for (ValueId input : node.inputs) operands.push_back(get(input));
    owned[node.output] = EvaluateNode(graph, node, operands);
    for (ValueId input : node.inputs) {
      if (--uses[input] == 0) owned[input] = Tensor();
    }
  }
  std::vector<Tensor> outputs;
  for (const GraphOutput& output : graph.outputs()) outputs.push_back(*get(output.value));
  return outputs;
}

}  // namespace vta::compiler
