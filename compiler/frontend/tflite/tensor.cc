#include "compiler/frontend/tflite/tensor.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/frontend/half.h"
#include "compiler/frontend/tflite/sparse.h"
#include "compiler/frontend/tflite/tflite_generated.h"
#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

std::optional<DType> KnownType(schema::TensorType type) {
  switch (type) {
    case schema::TensorType::BOOL:
      return DType::kBool;
    case schema::TensorType::INT8:
      return DType::kInt8;
    case schema::TensorType::UINT8:
      return DType::kUint8;
    case schema::TensorType::INT16:
      return DType::kInt16;
    case schema::TensorType::UINT16:
      return DType::kUint16;
    case schema::TensorType::INT32:
      return DType::kInt32;
    case schema::TensorType::UINT32:
      return DType::kUint32;
    case schema::TensorType::INT64:
      return DType::kInt64;
    case schema::TensorType::FLOAT16:  // computed in float32
    case schema::TensorType::FLOAT32:
      return DType::kFloat32;
    case schema::TensorType::FLOAT64:
      return DType::kFloat64;
    default:
      return std::nullopt;
  }
}

Shape ShapeOf(const schema::Tensor& tensor) {
  return tensor.shape() ? Shape(tensor.shape()->begin(), tensor.shape()->end()) : Shape();
}

std::span<const uint8_t> DataOf(const schema::Model& model, const schema::Tensor& tensor) {
  if (!model.buffers() || tensor.buffer() == 0) return {};  // buffer 0 is that of no data
  const auto* data = model.buffers()->Get(tensor.buffer())->data();
  return data ? std::span(data->data(), data->size()) : std::span<const uint8_t>();
}

/// How many elements a constant has; dimensions of 0 are allowed.
int64_t CountElements(const Shape& shape) {
  Shape counted = shape;
  bool empty = false;
  for (int64_t& dim : counted)
    if (dim == 0) empty = true, dim = 1;
  const auto count = CheckedElements(counted);
  if (!count)
    throw Error("", "shape", ToText(shape),
                "dimensions must not be negative and their product must not exceed 2^40");
  return empty ? 0 : *count;
}

Tensor WidenHalf(const Shape& shape, std::span<const uint8_t> data) {
  Tensor wide(TensorType{DType::kFloat32, shape});
  auto y = wide.mutable_data<float>();
  for (size_t i = 0; i < y.size(); ++i) {
    uint16_t bits;
    std::memcpy(&bits, &data[2 * i], 2);
    y[i] = FromHalf(bits);
  }
  return wide;
}

/// The verifier does not ask that they lie as numbers of 64 bits must.
std::vector<int64_t> ReadLongs(const flatbuffers::Vector<int64_t>& list) {
  std::vector<int64_t> numbers(list.size());
  if (!numbers.empty()) std::memcpy(numbers.data(), list.Data(), numbers.size() * sizeof(int64_t));
  return numbers;
}

void CheckZeroPoint(DType dtype, int64_t zero_point) {
  DispatchDType(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && sizeof(T) <= 4) {
      if (zero_point < int64_t{std::numeric_limits<T>::min()} ||
          zero_point > int64_t{std::numeric_limits<T>::max()})
        throw Error("", "zero_point", StrCat(zero_point), StrCat("must fit ", Name(dtype)));
    }
  });
}

}  // namespace

std::string TfliteTensorName(const schema::Tensor& tensor, int64_t number) {
  const std::string name = tensor.name() ? tensor.name()->str() : "";
  return name.empty() ? StrCat("tensor", number) : name;
}

DType TfliteDType(const schema::Tensor& tensor) {
  const auto dtype = KnownType(tensor.type());
  if (!dtype)
    throw Error("", "element type", TfliteTypeName(static_cast<int>(tensor.type())),
                "is not a supported element type");
  return *dtype;
}

TensorType TfliteConstantType(const schema::Tensor& tensor) {
  TensorType type{TfliteDType(tensor), ShapeOf(tensor)};
  CountElements(type.shape);
  return type;
}

std::optional<Tensor> ReadTfliteTensor(const schema::Model& model, const schema::Tensor& tensor) {
  if (!IsTfliteConstant(model, tensor)) return std::nullopt;
  const std::span<const uint8_t> data = DataOf(model, tensor);
  const TensorType type = TfliteConstantType(tensor);
  const Shape& shape = type.shape;
  const bool half = tensor.type() == schema::TensorType::FLOAT16;
  const int64_t size = half ? 2 : Bytes(type.dtype), count = CountElements(shape);
  std::vector<int64_t> places;
  if (tensor.sparsity() && count > 0)
    places = SparsePlaces(*tensor.sparsity(), shape, std::ssize(data) / size);
  const int64_t asked = (tensor.sparsity() ? std::ssize(places) : count) * size;
  if (static_cast<int64_t>(data.size()) != asked)
    throw Error("", "data", Counted(data.size(), "byte"),
                StrCat(TfliteTypeName(static_cast<int>(tensor.type())), ToText(shape), " asks for ",
                       asked));
  std::vector<uint8_t> bytes = tensor.sparsity() ? Densified(data, size, places, count)
                                                 : std::vector<uint8_t>(data.begin(), data.end());
  if (half) return WidenHalf(shape, bytes);
  if (type.dtype == DType::kBool)
    for (uint8_t& v : bytes) v = v != 0;
  return Tensor(type, std::move(bytes));
}

bool IsTfliteConstant(const schema::Model& model, const schema::Tensor& tensor) {
  const Shape shape = ShapeOf(tensor);
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  return empty || tensor.sparsity() || !DataOf(model, tensor).empty();
}

std::optional<TfliteScales> ReadTfliteScales(const schema::Tensor& tensor) {
  const schema::QuantizationParameters* quantization = tensor.quantization();
  if (!quantization) return std::nullopt;
  if (quantization->details_type() != schema::QuantizationDetails::NONE)
    throw Error("", "quantization details", "", "custom quantisation is not supported");
  if (!quantization->scale() || quantization->scale()->size() == 0) return std::nullopt;
  TfliteScales s;
  s.scales.assign(quantization->scale()->begin(), quantization->scale()->end());
  if (quantization->zero_point()) s.zero_points = ReadLongs(*quantization->zero_point());
  for (float scale : s.scales)
    if (!std::isfinite(scale) || scale <= 0)
      throw Error("", "scale", StrCat(double{scale}), "must be positive and finite");
  if (s.zero_points.size() != s.scales.size())
    throw Error("", "zero points", StrCat(s.zero_points.size()),
                StrCat("must be one for each of ", s.scales.size(), " scales"));
  for (int64_t zero_point : s.zero_points) CheckZeroPoint(TfliteDType(tensor), zero_point);
  if (s.PerTensor()) return s;
  const Shape shape = ShapeOf(tensor);
  // Of a bias some files name the axis of its weights.
  s.axis = shape.size() == 1 ? 0 : quantization->quantized_dimension();
  if (s.axis < 0 || s.axis >= static_cast<int64_t>(shape.size()))
    throw Error("", "quantized_dimension", StrCat(s.axis),
                StrCat("must be an axis of ", ToText(shape)));
  if (shape[s.axis] != static_cast<int64_t>(s.scales.size()))
    throw Error("", "scales", StrCat(s.scales.size()),
                StrCat("must be one, or one for each of the ", shape[s.axis], " of axis ", s.axis));
  return s;
}

}  // namespace vta::compiler
