#include "compiler/frontend/emitter.h"

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops/convert.h"
#include "isa/support/plural.h"

namespace vta::compiler {

void ImportScope::Require(const TensorType& type, const std::string& where) const {
  if (bytes + type.bytes() > max_bytes)
    throw Error(where, "memory for all tensors", Counted(bytes + type.bytes(), "byte"),
                StrCat("must not exceed ", max_bytes));
}

void ImportScope::Count(const TensorType& type, const std::string& where) {
  Require(type, where);
  bytes += type.bytes();
}

Error Emitter::Fail(std::string what, std::string value, std::string rule) const {
  return Error(where_, std::move(what), std::move(value), std::move(rule));
}

int64_t Emitter::Axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    throw Fail("axis", StrCat(axis), StrCat("must be in [", -rank, ", ", rank, ")"));
  return axis < 0 ? axis + rank : axis;
}

ValueId Emitter::Emit(Op op, std::vector<ValueId> inputs, Attributes attributes) {
  // Elements; larger constants are left to the folding pass. Of integers converters ask for more.
  constexpr int64_t kMostFolded = 4096, kMostFoldedIntegers = 1 << 18;
  Graph& graph = scope_.graph;
  const ValueId id = graph.Emit(op, name_, inputs, std::move(attributes), value_name_);
  scope_.Count(graph.type(id), where_);
  std::vector<const Tensor*> constants;
  for (ValueId input : inputs) {
    if (graph.constant(input)) constants.push_back(graph.constant(input));
  }
  if (!Spec(op).traits.fold || constants.size() != inputs.size() ||
      Elements(graph.shape(id)) >
          (IsFloat(graph.type(id).dtype) ? kMostFolded : kMostFoldedIntegers))
    return id;
  return graph.AddConstant(name_, EvaluateNode(graph, *graph.Producer(id), constants));
}

ValueId Emitter::Reshape(ValueId value, const Shape& shape) {
  return type(value).shape == shape ? value : Emit(Op::kReshape, {value}, {{"shape", shape}});
}

ValueId Emitter::Number(ValueId like, double value) {
  return DispatchDType(type(like).dtype, [&](auto zero) {
    return AddConstant("number", Tensor::Scalar(ops::Convert<decltype(zero)>(value)));
  });
}

ValueId Emitter::AddConstant(const std::string& suffix, Tensor tensor) {
  scope_.Count(tensor.type(), where_);
  return scope_.graph.AddConstant(StrCat(name_, ".", suffix), std::move(tensor));
}

std::vector<int64_t> Emitter::ToInts(const Tensor& tensor, std::string_view what) const {
  if (tensor.shape().size() > 1 ||
      (tensor.dtype() != DType::kInt64 && tensor.dtype() != DType::kInt32))
    throw Fail(std::string(what), ToText(tensor.type()), "must be a list of int64 or int32");
  std::vector<int64_t> list;
  for (int64_t i = 0; i < tensor.elements(); ++i)
    list.push_back(tensor.dtype() == DType::kInt64 ? tensor.data<int64_t>()[i]
                                                   : tensor.data<int32_t>()[i]);
  return list;
}

}  // namespace vta::compiler
