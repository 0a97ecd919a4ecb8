// One node during export: what the rows of onnx_writers.h read and write.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/ops.h"

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace vta::compiler {

/// The model being written and the names that its values have.
class OnnxOutput {
 public:
  OnnxOutput(onnx::GraphProto& graph, int64_t least_opset) : proto(graph), opset(least_opset) {}

  onnx::GraphProto& proto;
  int64_t opset;
  std::vector<std::string> names;  // of each value of the graph
  std::set<std::string> taken;
  std::set<std::string> taken_by_nodes;

  /// The name, or where a value has it the name with a number.
  std::string Fresh(const std::string& name) { return Fresh(name, taken); }
  /// The same of nodes.
  std::string FreshNode(const std::string& name) { return Fresh(name, taken_by_nodes); }
  void AddInitializer(const std::string& name, const Tensor& tensor);

 private:
  static std::string Fresh(const std::string& name, std::set<std::string>& taken);
};

/// A node that was added; its attributes follow.
class OnnxAdded {
 public:
  explicit OnnxAdded(onnx::NodeProto& proto) : proto_(proto) {}

  OnnxAdded& Int(std::string_view name, int64_t value);
  OnnxAdded& Ints(std::string_view name, const std::vector<int64_t>& values);
  OnnxAdded& Float(std::string_view name, float value);
  OnnxAdded& String(std::string_view name, const std::string& value);
  OnnxAdded& Type(std::string_view name, DType dtype);
  /// A further output.
  OnnxAdded& Output(const std::string& name);

 private:
  onnx::NodeProto& proto_;
};

class OnnxWriter {
 public:
  OnnxWriter(const Graph& graph, const Node& node, OnnxOutput& output)
      : graph_(graph), node_(node), output_(output) {}

  const Node& node() const { return node_; }
  int64_t opset() const { return output_.opset; }
  const TensorType& type(int64_t input) const { return graph_.type(node_.inputs[input]); }
  const TensorType& output_type() const { return graph_.type(node_.output); }
  /// The input's data, or nullptr.
  const Tensor* constant(int64_t input) const { return graph_.constant(node_.inputs[input]); }
  Error Fail(std::string what, std::string value, std::string rule) const;

  std::string Input(int64_t input) const { return output_.names[node_.inputs[input]]; }
  std::vector<std::string> Inputs() const;
  std::string Output() const { return output_.names[node_.output]; }
  /// The name of a further value, which ends in `suffix`.
  std::string Temporary(std::string_view suffix);
  /// Adds an initializer.
  std::string Constant(std::string_view suffix, const Tensor& tensor);
  std::string Constant(std::string_view suffix, const std::vector<int64_t>& list);
  /// A scalar of the type of the node's output.
  std::string Number(std::string_view suffix, double value);

  /// The ONNX node that makes `output`; that of the node's own output has its name, with a number
  /// where it is not the first.
  OnnxAdded Add(std::string_view type, const std::vector<std::string>& inputs,
                const std::string& output);

 private:
  const Graph& graph_;
  const Node& node_;
  OnnxOutput& output_;
};

}  // namespace vta::compiler
