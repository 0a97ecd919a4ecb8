#include "compiler/frontend/narrow_floats.h"

#include <algorithm>

#include "compiler/graph/ops.h"
#include "compiler/graph/ops/convert.h"

namespace vta::compiler {
namespace {

bool IsWide(const Value& value) { return value.type.dtype == DType::kFloat64; }

Tensor Narrowed(const Tensor& wide) {
  Tensor narrow(TensorType{DType::kFloat32, wide.shape()});
  std::ranges::transform(wide.data<double>(), narrow.mutable_data<float>().begin(),
                         ops::Convert<float, double>);
  return narrow;
}

}  // namespace

Graph NarrowFloats(const Graph& graph) {
  if (std::ranges::none_of(graph.values(), IsWide)) return graph;
  Graph narrow(graph.name(), graph.rounding());
  std::vector<ValueId> of(graph.values().size(), kNone);
  for (ValueId input : graph.inputs()) {
    const Value& value = graph.value(input);
    of[input] = narrow.AddInput(
        value.name, {IsWide(value) ? DType::kFloat32 : value.type.dtype, value.type.shape});
  }
  const auto map = [&](ValueId id) {
    const Value& value = graph.value(id);
    if (of[id] == kNone)
      of[id] = IsWide(value) ? narrow.AddConstant(value.name, Narrowed(*value.constant))
                             : narrow.AddConstant(value.name, value.constant);
    return of[id];
  };
  for (const Node& node : graph.nodes()) {
    std::vector<ValueId> inputs;
    for (ValueId input : node.inputs) inputs.push_back(map(input));
    Attributes attributes = node.attributes;
    if (node.op == Op::kCast && IsWide(graph.value(node.output)))
      attributes.Set("to", std::string(Name(DType::kFloat32)));
    of[node.output] = narrow.Emit(node.op, node.name, std::move(inputs), std::move(attributes),
                                  graph.value(node.output).name);
  }
  for (const GraphOutput& output : graph.outputs())
    narrow.AddOutput(output.name, map(output.value));
  return narrow;
}

}  // namespace vta::compiler
