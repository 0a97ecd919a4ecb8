// A shape, a tensor type and a tensor: dense, row-major, owned bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/dtype.h"

namespace vta::compiler {

using Shape = std::vector<int64_t>;

/// "[1,64,25,5]"; "[]" for a scalar.
std::string ToText(const Shape& shape);
/// The product of the dimensions; nothing if one is below 1 or the product exceeds 2^40.
std::optional<int64_t> CheckedElements(const Shape& shape);
/// The product of the dimensions of a shape already known to be sound.
int64_t Elements(const Shape& shape);
/// Row-major strides in elements.
Shape Strides(const Shape& shape);

struct TensorType {
  DType dtype = DType::kFloat32;
  Shape shape;

  int64_t bytes() const { return Elements(shape) * Bytes(dtype); }
  bool operator==(const TensorType&) const = default;
};

/// "int8[1,64,25,5]".
std::string ToText(const TensorType& type);

class Tensor {
 public:
  Tensor() : Tensor(TensorType{DType::kFloat32, {0}}) {}
  /// Zero-filled.
  explicit Tensor(TensorType type);
  Tensor(TensorType type, std::vector<uint8_t> bytes);

  template <typename T>
  static Tensor Of(Shape shape, const std::vector<T>& values) {
    Tensor tensor(TensorType{DTypeOf<T>(), std::move(shape)});
    VTA_CHECK(static_cast<int64_t>(values.size()) == tensor.elements());
    std::span<T> out = tensor.mutable_data<T>();
    for (size_t i = 0; i < values.size(); ++i) out[i] = values[i];
    return tensor;
  }
  template <typename T>
  static Tensor Scalar(T value) {
    return Of<T>({}, {value});
  }

  const TensorType& type() const { return type_; }
  DType dtype() const { return type_.dtype; }
  const Shape& shape() const { return type_.shape; }
  int64_t elements() const { return static_cast<int64_t>(bytes_.size()) / Bytes(type_.dtype); }
  std::span<const uint8_t> bytes() const { return bytes_; }
  std::span<uint8_t> mutable_bytes() { return bytes_; }

  template <typename T>
  std::span<const T> data() const {
    VTA_CHECK(type_.dtype == DTypeOf<T>(), Name(type_.dtype));
    return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  template <typename T>
  std::span<T> mutable_data() {
    VTA_CHECK(type_.dtype == DTypeOf<T>(), Name(type_.dtype));
    return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }

  /// The same bytes under another shape of as many elements.
  Tensor Reshaped(Shape shape) const;
  /// Element i of an integer or float tensor, as a double.
  double At(int64_t i) const;

  bool operator==(const Tensor&) const = default;

 private:
  TensorType type_;
  std::vector<uint8_t> bytes_;
};

/// Hash of type and bytes: the name of a constant in graph text.
uint64_t ContentHash(const Tensor& tensor);

}  // namespace vta::compiler
