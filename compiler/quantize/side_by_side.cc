#include "compiler/quantize/side_by_side.h"

#include "compiler/graph/ops.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler::quantize {
namespace {

/// The value in the graph that takes over: a constant is carried over when it is first read.
ValueId Read(const Graph& from, ValueId value, std::vector<ValueId>* map, Graph* to) {
  ValueId& mapped = (*map)[value];
  if (mapped == kNone) mapped = to->AddConstant(from.value(value).name, from.value(value).constant);
  return mapped;
}

std::vector<ValueId> ReadAll(const Graph& from, const Node& node, std::vector<ValueId>* map,
                             Graph* to) {
  std::vector<ValueId> inputs;
  for (ValueId input : node.inputs) inputs.push_back(Read(from, input, map, to));
  return inputs;
}

}  // namespace

SideBySide::SideBySide(const Graph& real, const Graph& quantised, std::span<const Pair> pairs)
    : graph_(real.name(), real.rounding()) {
  AddReal(real);
  AddQuantised(quantised, pairs);
}

void SideBySide::AddReal(const Graph& real) {
  std::vector<ValueId> map(real.values().size(), kNone);
  const auto stand = [&](ValueId old_value, ValueId value) {
    map[old_value] = value;
    real_[real.value(old_value).name] = value;
  };
  for (ValueId input : real.inputs())
    stand(input, graph_.AddInput(real.value(input).name, real.type(input)));
  for (const Node& node : real.nodes())
    stand(node.output, graph_.Emit(node.op, node.name, ReadAll(real, node, &map, &graph_),
                                   node.attributes, real.value(node.output).name));
}

void SideBySide::AddQuantised(const Graph& quantised, std::span<const Pair> pairs) {
  std::vector<ValueId> map(quantised.values().size(), kNone);
  std::map<std::string, std::string> real_of;
  for (const Pair& pair : pairs) real_of[pair.quantised] = pair.real;
  for (size_t i = 0; i < quantised.inputs().size(); ++i)
    map[quantised.inputs()[i]] = graph_.inputs()[i];
  for (const Node& node : quantised.nodes()) {
    const std::string& name = quantised.value(node.output).name;
    const std::vector<ValueId> inputs = ReadAll(quantised, node, &map, &graph_);
    const ValueId made = graph_.Emit(node.op, node.name, inputs, node.attributes, name);
    map[node.output] = quantised_[name] = made;
    const auto real = real_of.find(name);
    if (real == real_of.end()) continue;
    const Node& quantize = *quantised.Producer(node.inputs[0]);
    std::vector<ValueId> scale = ReadAll(quantised, quantize, &map, &graph_);
    scale[0] = real_.at(real->second);
    const ValueId codes = graph_.Emit(Op::kQuantize, node.name, scale, quantize.attributes);
    map[node.output] =
        graph_.Emit(Op::kDequantize, node.name, {codes, inputs[1], inputs[2]}, node.attributes);
  }
}

ValueId SideBySide::Real(const std::string& name) const { return real_.at(name); }
ValueId SideBySide::Quantised(const std::string& name) const { return quantised_.at(name); }

ValueId SideBySide::Difference(ValueId a, ValueId b) {
  return graph_.Emit(Op::kSub, "difference", {a, b}, {});
}

ValueId SideBySide::Square(ValueId value) {
  return graph_.Emit(Op::kMul, "square", {value, value}, {});
}

void SideBySide::OutputMean(const std::string& name, ValueId value, std::vector<int64_t> axes) {
  if (!axes.empty())
    value = graph_.Emit(Op::kReduceMean, "mean", {value},
                        {{"axes", std::move(axes)}, {"keepdims", int64_t{1}}});
  graph_.AddOutput(name, value);
}

Graph SideBySide::Finish() const { return RemoveDead(graph_); }

}  // namespace vta::compiler::quantize
