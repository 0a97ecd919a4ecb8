// The graph IR: typed values of static shape and the nodes that make them, in execution order.
// A graph only grows, and a node may read only values that exist: it is acyclic by construction.
// Passes build a new graph from an old one (compiler/graph/rebuild.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/storage.h"
#include "compiler/graph/tensor.h"
#include "isa/spec/requant.h"

namespace vta::compiler {

enum class Op : uint8_t;  // compiler/graph/ops.h

using ValueId = int64_t;
using NodeId = int64_t;
inline constexpr int64_t kNone = -1;

/// The target of nodes before placement.
inline constexpr const char* kUnplaced = "unplaced";

struct Value {
  std::string name;  // unique in the graph
  TensorType type;
  NodeId producer = kNone;                 // kNone for inputs and constants
  std::shared_ptr<const Tensor> constant;  // null unless a constant
  std::optional<Storage> storage;          // absent: row by row, as the type says

  /// What lies in memory.
  TensorType stored() const { return storage ? storage->Of(type) : type; }
};

struct Node {
  Op op;
  std::string name;  // where it came from; for messages only
  std::vector<ValueId> inputs;
  ValueId output = kNone;
  Attributes attributes;
  std::string target = kUnplaced;
  int64_t group = kNone;  // nodes of one group are computed by one kernel of `target`
  std::string why;        // why the target that takes the rest has it; "" elsewhere

  int64_t Int(std::string_view name) const { return attributes.Int(name); }
  const std::vector<int64_t>& Ints(std::string_view name) const { return attributes.Ints(name); }
};

struct GraphOutput {
  std::string name;
  ValueId value;
};

class Graph {
 public:
  explicit Graph(std::string name = "graph", isa::Rounding rounding = isa::Rounding::kSingle)
      : name_(std::move(name)), rounding_(rounding) {}

  const std::string& name() const { return name_; }
  /// The rounding of every requantisation in the graph: a property of the compile.
  isa::Rounding rounding() const { return rounding_; }
  void set_rounding(isa::Rounding rounding) { rounding_ = rounding; }

  const std::vector<Value>& values() const { return values_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<GraphOutput>& outputs() const { return outputs_; }

  const Value& value(ValueId id) const { return values_.at(id); }
  const TensorType& type(ValueId id) const { return value(id).type; }
  const Shape& shape(ValueId id) const { return value(id).type.shape; }
  const Tensor* constant(ValueId id) const { return value(id).constant.get(); }
  /// The node that makes the value, or nullptr.
  const Node* Producer(ValueId id) const;

  /// Names that are taken get a numbered suffix.
  ValueId AddInput(const std::string& name, TensorType type);
  ValueId AddConstant(const std::string& name, Tensor tensor);
  ValueId AddConstant(const std::string& name, std::shared_ptr<const Tensor> tensor);
  void AddOutput(const std::string& name, ValueId value);

  /// Appends a node and the value it makes, named `value_name` or else as the node is; its type
  /// follows from the op's shape rule.
  /// Errors: throws Error naming the node if arity, attributes or input types break the op's row.
  ValueId Emit(Op op, const std::string& name, std::vector<ValueId> inputs, Attributes attributes,
               const std::string& value_name = "");

  void Place(NodeId node, std::string target, int64_t group, std::string why = "");

  void Store(ValueId value, const Storage& storage) { values_.at(value).storage = storage; }

  /// How many node inputs and graph outputs read each value.
  std::vector<int64_t> UseCounts() const;

 private:
  ValueId AddValue(const std::string& name, TensorType type);
  std::string UniqueName(const std::string& name);

  std::string name_;
  isa::Rounding rounding_;
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> inputs_;
  std::vector<GraphOutput> outputs_;
  std::map<std::string, int64_t, std::less<>> names_;  // name -> next suffix to try
};

}  // namespace vta::compiler
