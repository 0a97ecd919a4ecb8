#include "compiler/targets/cpu/express.h"

#include "compiler/graph/ops.h"
#include "compiler/operators/operators.h"
#include "compiler/targets/cpu/chain.h"
#include "compiler/targets/cpu/keep.h"

namespace vta::compiler::targets {
namespace {

/// Whether the head finds its input, and may leave its result, in the storage that it wants.
bool Suits(const Graph& graph, const Node& head, const Node& last, Arithmetic arithmetic) {
  const std::optional<Storage> needed = NeededBy(graph, head, arithmetic);
  const auto& in = graph.value(head.inputs[0]).storage;
  const auto& out = graph.value(last.output).storage;
  return needed && in && in->Serves(*needed) && out && out->channels == kLanes;
}

bool RowByRow(const Graph& graph, const Node& node) {
  bool kept = graph.value(node.output).storage.has_value();
  for (ValueId input : node.inputs) kept |= graph.value(input).storage.has_value();
  return !kept;
}

}  // namespace

StepExpression Express(const Graph& graph, std::span<const NodeId> nodes, Arithmetic arithmetic) {
  const Node &first = graph.nodes()[nodes.front()], &last = graph.nodes()[nodes.back()];
  Operands operands(graph);
  StepExpression out;
  const bool product = IsProduct(graph, first);
  if (nodes.size() == 1 && RowByRow(graph, first) && !product) {
    out.function = operators::Lower(graph, first, std::string(Spec(first.op).name));
    out.inputs.assign(first.inputs.begin(), first.inputs.end());
    return out;
  }
  te::Tensor value = [&] {
    const Head* head = FindHead(graph, first, arithmetic);
    if (product || (head && Suits(graph, first, last, arithmetic))) {
      out.sums = (product ? DefineProduct : head->define)(graph, first, operands);
      return *std::exchange(out.sums.value, {});
    }
    std::vector<te::Tensor> inputs;
    for (ValueId input : first.inputs) inputs.push_back(operands.Of(input));
    const te::Tensor y = operators::Define(graph, first, inputs);
    return te::IsElementwise(y) ? te::Inlined(y) : y;
  }();
  value = ChainValue(graph, nodes, value, operands);
  std::vector<te::Tensor> params = operands.params();
  params.push_back(StoredResult(graph, nodes, value));
  out.function = te::Lower(std::string(Spec(first.op).name), params);
  out.inputs = operands.inputs();
  return out;
}

}  // namespace vta::compiler::targets
