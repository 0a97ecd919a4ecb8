#include "compiler/graph/rebuild.h"

#include "compiler/graph/ops.h"

namespace vta::compiler {

Rebuild::Rebuild(const Graph& old)
    : old_(old), fresh_(old.name(), old.rounding()), map_(old.values().size(), kNone) {
  for (ValueId input : old.inputs())
    map_[input] = fresh_.AddInput(old.value(input).name, old.type(input));
}

ValueId Rebuild::Map(ValueId old_value) {
  ValueId& mapped = map_.at(old_value);
  const Value& value = old_.value(old_value);
  if (mapped == kNone && value.constant) mapped = fresh_.AddConstant(value.name, value.constant);
  VTA_CHECK(mapped != kNone, "value ", value.name, " is read before it is rebuilt");
  return mapped;
}

std::vector<ValueId> Rebuild::MapInputs(const Node& node) {
  std::vector<ValueId> inputs;
  for (ValueId input : node.inputs) inputs.push_back(Map(input));
  return inputs;
}

ValueId Rebuild::CopyWith(const Node& node, std::vector<ValueId> inputs, Attributes attributes) {
  const ValueId id = fresh_.Emit(node.op, node.name, std::move(inputs), std::move(attributes),
                                 old_.value(node.output).name);
  fresh_.Place(fresh_.value(id).producer, node.target, node.group, node.why);
  if (const auto& storage = old_.value(node.output).storage) fresh_.Store(id, *storage);
  Replace(node, id);
  return id;
}

ValueId Rebuild::Copy(const Node& node) { return CopyWith(node, MapInputs(node), node.attributes); }

Graph Rebuild::Finish() {
  for (const GraphOutput& output : old_.outputs()) fresh_.AddOutput(output.name, Map(output.value));
  return RemoveDead(fresh_);
}

Graph RemoveDead(const Graph& graph) {
  std::vector<bool> live(graph.values().size());
  for (const GraphOutput& output : graph.outputs()) live[output.value] = true;
  for (size_t i = graph.nodes().size(); i-- > 0;) {
    const Node& node = graph.nodes()[i];
    if (!live[node.output]) continue;
    for (ValueId input : node.inputs) live[input] = true;
  }
  Rebuild rebuild(graph);
  for (const Node& node : graph.nodes()) {
    if (live[node.output]) rebuild.Copy(node);
  }
  Graph& fresh = rebuild.fresh();
  for (const GraphOutput& output : graph.outputs())
    fresh.AddOutput(output.name, rebuild.Map(output.value));
  return std::move(fresh);
}

ValueId Reshaped(Graph& graph, ValueId value, const Shape& shape, const std::string& name) {
  if (graph.shape(value) == shape) return value;
  return graph.Emit(Op::kReshape, name, {value}, {{"shape", shape}});
}

}  // namespace vta::compiler
