// What importers of all formats share: a graph that grows, and one operator's ops and values in it.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/ops.h"

namespace vta::compiler {

/// The graph being built, and what its tensors take.
struct ImportScope {
  Graph graph;
  int64_t bytes = 0;  // of all tensors so far
  int64_t max_bytes = 0;

  /// Before a tensor is made that will be counted.
  /// Errors: throws Error at `where` when the sum would pass max_bytes.
  void Require(const TensorType& type, const std::string& where) const;
  /// Counts a tensor.
  /// Errors: throws Error at `where` when the sum passes max_bytes.
  void Count(const TensorType& type, const std::string& where);
};

/// The place of one operator of a model in the graph.
class Emitter {
 public:
  /// `name` is that of the operator, `value_name` that of what it makes, `where` its place in
  /// messages.
  Emitter(ImportScope& scope, std::string name, std::string value_name, std::string where)
      : scope_(scope),
        name_(std::move(name)),
        value_name_(std::move(value_name)),
        where_(std::move(where)) {}

  const std::string& name() const { return name_; }
  /// Such as "node "conv1" (Conv, opset 13)".
  const std::string& Where() const { return where_; }
  Error Fail(std::string what, std::string value, std::string rule) const;

  /// `axis` counted from the front. Errors: throws Error unless in [-rank, rank).
  int64_t Axis(int64_t axis, int64_t rank) const;

  /// Emits into the graph; a cheap op on small constants is computed at once.
  ValueId Emit(Op op, std::vector<ValueId> inputs, Attributes attributes = {});
  const TensorType& type(ValueId value) const { return scope_.graph.type(value); }
  /// The value's data where it is known at compile time, or nullptr.
  const Tensor* constant(ValueId value) const { return scope_.graph.constant(value); }
  ValueId Reshape(ValueId value, const Shape& shape);
  /// A constant of one element, of the type of another value's elements.
  ValueId Number(ValueId like, double value);
  ValueId AddConstant(const std::string& suffix, Tensor tensor);
  /// The elements of a constant of one element or one dimension.
  /// Errors: throws Error naming `what` unless they are int64 or int32.
  std::vector<int64_t> ToInts(const Tensor& tensor, std::string_view what) const;
  /// Before a constant is made. Errors: throws Error where the memory for all tensors has no room.
  void Require(const TensorType& type) const { scope_.Require(type, where_); }

 private:
  ImportScope& scope_;
  std::string name_, value_name_, where_;
};

}  // namespace vta::compiler
