// One ONNX node during import: what the converters of operators.h read and write.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/emitter.h"
#include "compiler/frontend/onnx.h"

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace vta::compiler {

/// What an ONNX value name stands for: a constant that has not entered the graph, or a graph value.
struct OnnxBinding {
  std::shared_ptr<const Tensor> constant;
  ValueId value = kNone;
};

/// The names that a graph of the model has bound so far, and those of the graph around it.
struct OnnxNames {
  std::map<std::string, OnnxBinding> own;
  OnnxNames* around = nullptr;

  /// The innermost of the name, or nullptr.
  OnnxBinding* Find(const std::string& name);
};

/// The graph being built and what its nodes see.
struct OnnxScope : ImportScope {
  OnnxNames* names = nullptr;
  std::map<std::string, int64_t> opsets;  // by domain
  std::string folder;  // of the model, for tensors in other files; empty: there are none
  int64_t steps = 0;   // of loops, unrolled so far
  int64_t nodes = 0;   // read so far, those of loops once a step
  std::set<std::string> narrowed;  // types that are computed in float32, as ONNX calls them
  /// How much of a value is found, where that depends on the data, by its name.
  std::vector<std::pair<std::string, ValueId>> counts;
  std::vector<std::string> remarks;  // of what is not computed as the model says

  /// The graph's value for a name, which a constant enters with this.
  /// Errors: throws Error at `where` for a constant without elements; `what` is what the name is.
  ValueId ValueOf(OnnxBinding& binding, const std::string& where, const std::string& what,
                  const std::string& name);
  /// Of what the model has: a TensorProto.DataType that is computed in float32 is remembered.
  void Note(int64_t data_type);
};

class OnnxNode;
/// Turns one node into graph ops.
using OnnxConverter = void (*)(OnnxNode&);

class OnnxNode : public Emitter {
 public:
  OnnxNode(const onnx::NodeProto& proto, int64_t opset, OnnxScope& scope);

  /// The opset by which to read the node: the model's for its domain.
  int64_t opset() const { return inner_ ? inner_->opset : opset_; }

  int64_t input_count() const;
  int64_t output_count() const;
  /// Whether the optional input is given.
  bool Has(int64_t input) const;
  /// Errors: throws Error when the input is not given or not defined.
  ValueId Input(int64_t input);
  /// By value: asking for one input may add it to the graph and so move the types of the others.
  TensorType Type(int64_t input);
  Shape InputShape(int64_t input) { return Type(input).shape; }
  int64_t Rank(int64_t input) { return static_cast<int64_t>(InputShape(input).size()); }
  /// Whether the input is given and known at compile time.
  bool IsConstant(int64_t input) const;
  /// The input's data.
  /// Errors: throws Error when the input is not known at compile time.
  const Tensor& Constant(int64_t input, std::string_view what);
  /// A constant input of one element or one dimension, as integers.
  std::vector<int64_t> ConstantInts(int64_t input, std::string_view what);
  double ConstantNumber(int64_t input, std::string_view what);

  // Attributes. What no converter asked for is refused by FinishAttributes.
  bool HasAttribute(const std::string& name);
  int64_t Int(const std::string& name, int64_t otherwise);
  double Float(const std::string& name, double otherwise);
  std::string String(const std::string& name, const std::string& otherwise);
  std::optional<std::vector<int64_t>> Ints(const std::string& name);
  std::vector<double> Floats(const std::string& name);
  std::vector<std::string> Strings(const std::string& name);
  Tensor ConstantAttribute();  // of a Constant node
  void Ignore(const std::string& name) { HasAttribute(name); }
  void FinishAttributes() const;

  /// A graph that is an attribute. Errors: throws Error where there is none.
  const onnx::GraphProto& Subgraph(const std::string& name);
  OnnxScope& scope() { return scope_; }
  /// Before a step of a loop is read and emitted anew.
  /// Errors: throws Error where the loops of the model have too many steps together, or nodes.
  void CountStep();
  /// What an input stands for. Errors: as Input.
  OnnxBinding& Bound(int64_t input);

  /// Binds the node's outputs.
  void Result(ValueId value, int64_t output = 0);
  void Result(OnnxBinding binding, int64_t output);
  /// The same of the first output where only its first `count` rows or columns are found, which
  /// becomes an output of the network: NAME.count.
  void ResultCounted(ValueId value, ValueId count);
  void ResultConstant(Tensor tensor, int64_t output = 0);
  /// Whether the output is named, so that somebody may read it.
  bool WantsOutput(int64_t output) const;
  /// What another operator with the node's attributes, as it is in `opset`, makes of operands.
  ValueId As(OnnxConverter convert, std::vector<ValueId> operands, int64_t opset);

 private:
  /// The other operator, while it is converted.
  struct Inner {
    std::vector<ValueId> operands;
    int64_t opset;
    ValueId result = kNone;
  };

  const onnx::AttributeProto* Attribute(const std::string& name, int type);

  const onnx::NodeProto& proto_;
  int64_t opset_;
  OnnxScope& scope_;
  std::set<std::string> read_;
  std::optional<Inner> inner_;
};

}  // namespace vta::compiler
