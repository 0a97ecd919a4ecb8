#include "compiler/graph/graph.h"

#include "compiler/graph/ops.h"

namespace vta::compiler {

const Node* Graph::Producer(ValueId id) const {
  NodeId producer = value(id).producer;
  return producer == kNone ? nullptr : &nodes_[producer];
}

std::string Graph::UniqueName(const std::string& name) {
  auto [entry, fresh] = names_.try_emplace(name.empty() ? "v" : name, 1);
  if (fresh) return entry->first;
  for (;;) {
    std::string candidate = StrCat(entry->first, ".", entry->second++);
    if (names_.try_emplace(candidate, 1).second) return candidate;
  }
}

ValueId Graph::AddValue(const std::string& name, TensorType type) {
  values_.push_back({UniqueName(name), std::move(type)});
  return static_cast<ValueId>(values_.size()) - 1;
}

ValueId Graph::AddInput(const std::string& name, TensorType type) {
  inputs_.push_back(AddValue(name, std::move(type)));
  return inputs_.back();
}

ValueId Graph::AddConstant(const std::string& name, Tensor tensor) {
  return AddConstant(name, std::make_shared<const Tensor>(std::move(tensor)));
}

ValueId Graph::AddConstant(const std::string& name, std::shared_ptr<const Tensor> tensor) {
  ValueId id = AddValue(name, tensor->type());
  values_[id].constant = std::move(tensor);
  return id;
}

void Graph::AddOutput(const std::string& name, ValueId value) { outputs_.push_back({name, value}); }

ValueId Graph::Emit(Op op, const std::string& name, std::vector<ValueId> inputs,
                    Attributes attributes, const std::string& value_name) {
  Node node{op, name, std::move(inputs), kNone, std::move(attributes)};
  TensorType type = InferType(*this, node);
  node.output = AddValue(value_name.empty() ? name : value_name, std::move(type));
  values_[node.output].producer = static_cast<NodeId>(nodes_.size());
  nodes_.push_back(std::move(node));
  return nodes_.back().output;
}

void Graph::Place(NodeId node, std::string target, int64_t group, std::string why) {
  nodes_.at(node).target = std::move(target);
  nodes_.at(node).group = group;
  nodes_.at(node).why = std::move(why);
}

std::vector<int64_t> Graph::UseCounts() const {
  std::vector<int64_t> counts(values_.size());
  for (const Node& node : nodes_) {
    for (ValueId input : node.inputs) ++counts[input];
  }
  for (const GraphOutput& output : outputs_) ++counts[output.value];
  return counts;
}

}  // namespace vta::compiler
