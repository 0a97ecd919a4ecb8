#include "compiler/graph/tensor.h"

#include "isa/support/hash.h"

namespace vta::compiler {

std::string ToText(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += StrCat(i ? "," : "", shape[i]);
  return text + "]";
}

std::optional<int64_t> CheckedElements(const Shape& shape) {
  constexpr int64_t kMost = int64_t{1} << 40;
  int64_t product = 1;
  for (int64_t dim : shape) {
    if (dim < 1 || dim > kMost / product) return std::nullopt;
    product *= dim;
  }
  return product;
}

int64_t Elements(const Shape& shape) {
  int64_t product = 1;
  for (int64_t dim : shape) product *= dim;
  return product;
}

Shape Strides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::string ToText(const TensorType& type) { return StrCat(Name(type.dtype), ToText(type.shape)); }

Tensor::Tensor(TensorType type) : type_(std::move(type)), bytes_(type_.bytes()) {}

Tensor::Tensor(TensorType type, std::vector<uint8_t> bytes)
    : type_(std::move(type)), bytes_(std::move(bytes)) {
  VTA_CHECK(static_cast<int64_t>(bytes_.size()) == type_.bytes(), ToText(type_));
}

Tensor Tensor::Reshaped(Shape shape) const {
  return Tensor(TensorType{type_.dtype, std::move(shape)}, bytes_);
}

double Tensor::At(int64_t i) const {
  return DispatchDType(type_.dtype,
                       [&](auto zero) { return static_cast<double>(data<decltype(zero)>()[i]); });
}

uint64_t ContentHash(const Tensor& tensor) {
  return Hasher().Text(ToText(tensor.type())).Bytes(tensor.bytes()).value();
}

}  // namespace vta::compiler
