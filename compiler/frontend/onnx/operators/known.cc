// Converters of operators whose results are known at compile time: shapes, and what is made of
// them.
#include <algorithm>

#include "compiler/frontend/onnx/operators.h"
#include "compiler/frontend/onnx/tensor.h"

namespace vta::compiler {

Shape ReadShape(OnnxNode& node, int64_t input, const char* what) {
  const Shape shape = node.ConstantInts(input, what);
  if (!CheckedElements(shape))
    throw node.Fail(what, ToText(shape),
                    "every dimension must be at least 1 and their product at most 2^40");
  return shape;
}

void ConvertShape(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  const auto bound = [&](const char* name, int64_t otherwise) {
    const int64_t asked = node.Int(name, otherwise), rank = static_cast<int64_t>(x.size());
    return std::clamp<int64_t>(asked < 0 ? asked + rank : asked, 0, rank);
  };
  const int64_t start = bound("start", 0), end = bound("end", static_cast<int64_t>(x.size()));
  const Shape part(x.begin() + start, x.begin() + std::max(start, end));
  node.ResultConstant(Tensor::Of<int64_t>({static_cast<int64_t>(part.size())}, part));
}

void ConvertSize(OnnxNode& node) {
  node.ResultConstant(Tensor::Scalar<int64_t>(Elements(node.InputShape(0))));
}

void ConvertConstantOfShape(OnnxNode& node) {
  const Tensor value =
      node.HasAttribute("value") ? node.ConstantAttribute() : Tensor::Of<float>({1}, {0.0f});
  if (value.elements() != 1)
    throw node.Fail("attribute value", ToText(value.type()), "must have one element");
  const Shape shape = node.ConstantInts(0, "input shape");
  if (!shape.empty() && std::ranges::count(shape, 0) > 0 && std::ranges::min(shape) >= 0) {
    node.ResultConstant(Tensor(TensorType{value.dtype(), shape}));
    return;
  }
  constexpr int64_t kMost = 1 << 24;
  const TensorType type{value.dtype(), ReadShape(node, 0, "input shape")};
  if (Elements(type.shape) > kMost)
    throw node.Fail("input shape", ToText(shape), "must have at most 2^24 elements");
  Tensor filled(type);
  const int64_t size = Bytes(value.dtype());
  for (size_t i = 0; i < filled.bytes().size(); ++i)
    filled.mutable_bytes()[i] = value.bytes()[i % size];
  node.ResultConstant(std::move(filled));
}

void ConvertRange(OnnxNode& node) {
  const double delta = node.ConstantNumber(2, "input delta");
  auto range = RangeOf(node.ConstantNumber(0, "input start"), node.ConstantNumber(1, "input limit"),
                       delta, node.Constant(0, "input start").dtype());
  if (!range)
    throw node.Fail("input delta", StrCat(delta), "must lead to the limit in 2^24 steps or fewer");
  node.ResultConstant(*std::move(range));
}

void ConvertEyeLike(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  if (x.size() != 2) throw node.Fail("input shape", ToText(x), "must be a matrix");
  const int64_t k = node.Int("k", 0);
  DType dtype = node.Type(0).dtype;
  if (node.HasAttribute("dtype")) {
    const auto asked = DTypeFromOnnx(node.Int("dtype", 0));
    if (!asked)
      throw node.Fail("attribute dtype", OnnxTypeName(node.Int("dtype", 0)),
                      "is not a supported element type");
    dtype = *asked;
  }
  Tensor eye(TensorType{dtype, x});
  DispatchDType(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < eye.elements(); ++i)
      eye.mutable_data<T>()[i] = static_cast<T>(i % x[1] - i / x[1] == k);
  });
  node.ResultConstant(std::move(eye));
}

}  // namespace vta::compiler
