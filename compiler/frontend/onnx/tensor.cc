#include "compiler/frontend/onnx/tensor.h"

#include <onnx/onnx_pb.h>

#include <cstring>

#include "compiler/frontend/half.h"
#include "compiler/frontend/onnx.h"
#include "compiler/frontend/onnx/blocks.h"
#include "compiler/frontend/onnx/external.h"
#include "isa/support/plural.h"

namespace vta::compiler {

std::optional<DType> DTypeFromOnnx(int64_t data_type) {
  switch (data_type) {
    case onnx::TensorProto::BOOL:
      return DType::kBool;
    case onnx::TensorProto::INT8:
      return DType::kInt8;
    case onnx::TensorProto::UINT8:
      return DType::kUint8;
    case onnx::TensorProto::INT16:
      return DType::kInt16;
    case onnx::TensorProto::UINT16:
      return DType::kUint16;
    case onnx::TensorProto::INT32:
      return DType::kInt32;
    case onnx::TensorProto::UINT32:
      return DType::kUint32;
    case onnx::TensorProto::INT64:
      return DType::kInt64;
    case onnx::TensorProto::FLOAT:
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::BFLOAT16:
      return DType::kFloat32;
    case onnx::TensorProto::DOUBLE:
      return DType::kFloat64;
    default:
      return std::nullopt;
  }
}

int32_t OnnxTypeOf(DType dtype) {
  int32_t type = onnx::TensorProto::FLOAT;
  while (DTypeFromOnnx(type) != dtype) ++type;
  return type;
}

std::string OnnxTypeName(int64_t data_type) {
  const int type = static_cast<int>(data_type);
  if (type != data_type || !onnx::TensorProto::DataType_IsValid(type))
    return StrCat("data type ", data_type);
  return onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(type));
}

namespace {

/// What a malformed tensor is refused with.
struct Context {
  const onnx::TensorProto& proto;
  const std::string& where;

  Error Fail(std::string value, std::string rule) const {
    return Error(where, StrCat("tensor \"", proto.name(), "\""), std::move(value), std::move(rule));
  }
};

constexpr int32_t kUint4 = 21, kInt4 = 22;  // newer than the header that may be installed

/// How elements lie in a tensor's bytes, where not as the graph has them.
enum class Packing { kNone, kHalf, kBfloat16, kNibble, kSignedNibble };

Packing PackingOf(const onnx::TensorProto& proto) {
  switch (proto.data_type()) {
    case onnx::TensorProto::FLOAT16:
      return Packing::kHalf;
    case onnx::TensorProto::BFLOAT16:
      return Packing::kBfloat16;
    case kUint4:
      return Packing::kNibble;
    case kInt4:
      return Packing::kSignedNibble;
    default:
      return Packing::kNone;
  }
}

int64_t PackedBytes(Packing packing, DType dtype, int64_t count) {
  if (packing == Packing::kNone) return count * Bytes(dtype);
  return packing == Packing::kHalf || packing == Packing::kBfloat16 ? 2 * count : (count + 1) / 2;
}

/// The bytes of a tensor of the graph. `packed` are as many as PackedBytes says.
std::vector<uint8_t> Unpack(Packing packing, std::vector<uint8_t> packed, int64_t count) {
  if (packing == Packing::kNone) return packed;
  if (packing == Packing::kNibble || packing == Packing::kSignedNibble) {
    std::vector<uint8_t> codes = UnpackCodes(packed, 4, 1, count);
    if (packing == Packing::kSignedNibble)
      for (uint8_t& code : codes) code = static_cast<uint8_t>((code ^ 8) - 8);
    return codes;
  }
  std::vector<uint8_t> wide(count * sizeof(float));
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, &packed[2 * i], sizeof(bits));
    const float value = packing == Packing::kHalf ? FromHalf(bits) : FromBfloat16(bits);
    std::memcpy(&wide[i * sizeof(float)], &value, sizeof(float));
  }
  return wide;
}

/// The number of elements; at most 2^40, dimensions of 0 allowed.
int64_t CountElements(const Context& context) {
  Shape shape(context.proto.dims().begin(), context.proto.dims().end());
  bool empty = false;
  for (int64_t& dim : shape) {
    if (dim == 0) empty = true, dim = 1;
  }
  const auto count = CheckedElements(shape);
  if (!count)
    throw context.Fail(ToText(Shape(context.proto.dims().begin(), context.proto.dims().end())),
                       "dimensions must not be negative and their product must not exceed 2^40");
  return empty ? 0 : *count;
}

/// Copies a typed field (float_data, int32_data, ...), refusing values that do not fit.
template <typename T, typename Field>
std::vector<uint8_t> CopyField(const Context& context, const Field& field, int64_t count) {
  if (field.size() != count)
    throw context.Fail(Counted(field.size(), "value"), StrCat("its dimensions ask for ", count));
  std::vector<uint8_t> bytes(count * sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(field[static_cast<int>(i)]);
    if constexpr (std::is_integral_v<T>) {
      if (static_cast<int64_t>(value) != static_cast<int64_t>(field[static_cast<int>(i)]))
        throw context.Fail(StrCat(static_cast<int64_t>(field[static_cast<int>(i)])),
                           StrCat("must fit ", Name(DTypeOf<T>())));
    }
    std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
  }
  return bytes;
}

/// Packed elements, of which int32_data has bits: two bytes, or one for two of 4 bits, each.
std::vector<uint8_t> CopyPacked(const Context& context, Packing packing, int64_t count) {
  if (packing == Packing::kHalf || packing == Packing::kBfloat16)
    return CopyField<uint16_t>(context, context.proto.int32_data(), count);
  return CopyField<uint8_t>(context, context.proto.int32_data(), (count + 1) / 2);
}

template <typename T>
std::vector<uint8_t> CopyTyped(const Context& context, int64_t count) {
  const onnx::TensorProto& proto = context.proto;
  if constexpr (std::is_same_v<T, float>) return CopyField<T>(context, proto.float_data(), count);
  if constexpr (std::is_same_v<T, double>) return CopyField<T>(context, proto.double_data(), count);
  if constexpr (std::is_same_v<T, int64_t>) return CopyField<T>(context, proto.int64_data(), count);
  if constexpr (std::is_same_v<T, uint32_t>)
    return CopyField<T>(context, proto.uint64_data(), count);
  return CopyField<T>(context, proto.int32_data(), count);
}

}  // namespace

TensorType ReadOnnxType(const onnx::TensorProto& proto, const std::string& where) {
  const Context context{proto, where};
  auto dtype = DTypeFromOnnx(proto.data_type());
  if (proto.data_type() == kUint4) dtype = DType::kUint8;
  if (proto.data_type() == kInt4) dtype = DType::kInt8;
  if (!dtype)
    throw context.Fail(OnnxTypeName(proto.data_type()), "is not a supported element type");
  CountElements(context);
  return {*dtype, {proto.dims().begin(), proto.dims().end()}};
}

Tensor ReadOnnxTensor(const onnx::TensorProto& proto, const std::string& where,
                      const std::string& folder) {
  const Context context{proto, where};
  TensorType type = ReadOnnxType(proto, where);
  if (proto.has_segment()) throw context.Fail("a segment", "segmented tensors are not supported");
  const int64_t count = CountElements(context);
  const Packing packing = PackingOf(proto);
  const int64_t asked = PackedBytes(packing, type.dtype, count);
  std::vector<uint8_t> bytes;
  if (IsExternal(proto)) {
    bytes = ReadExternal(proto, asked, folder, where);
  } else if (proto.has_raw_data()) {
    bytes.assign(proto.raw_data().begin(), proto.raw_data().end());
    if (static_cast<int64_t>(bytes.size()) != asked)
      throw context.Fail(
          StrCat(Counted(bytes.size(), "byte"), " of raw data"),
          StrCat(packing == Packing::kNone ? ToText(type)
                                           : OnnxTypeName(proto.data_type()) + ToText(type.shape),
                 " asks for ", asked));
  } else if (packing != Packing::kNone) {
    bytes = CopyPacked(context, packing, count);
  } else {
    bytes = DispatchDType(type.dtype,
                          [&](auto zero) { return CopyTyped<decltype(zero)>(context, count); });
  }
  bytes = Unpack(packing, std::move(bytes), count);
  if (type.dtype == DType::kBool) {
    for (uint8_t& v : bytes) v = v != 0;
  }
  return Tensor(std::move(type), std::move(bytes));
}

void WriteOnnxTensor(const Tensor& tensor, onnx::TensorProto& proto) {
  for (const int64_t extent : tensor.shape()) proto.add_dims(extent);
  proto.set_data_type(OnnxTypeOf(tensor.dtype()));
  proto.set_raw_data(tensor.bytes().data(), tensor.bytes().size());
}

std::vector<uint8_t> SerializeOnnxTensor(const Tensor& tensor) {
  onnx::TensorProto proto;
  WriteOnnxTensor(tensor, proto);
  std::vector<uint8_t> bytes(proto.ByteSizeLong());
  if (bytes.size() > INT32_MAX)
    throw Error("", "ONNX tensor", Counted(bytes.size(), "byte"), "must be smaller than 2 GiB");
  VTA_CHECK(proto.SerializeToArray(bytes.data(), static_cast<int>(bytes.size())));
  return bytes;
}

Tensor ParseOnnxTensor(std::span<const uint8_t> bytes, const std::string& file) {
  onnx::TensorProto proto;
  if (bytes.size() > INT32_MAX ||
      !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw Error(file, "tensor", Counted(bytes.size(), "byte"),
                "is truncated or not an ONNX tensor");
  return ReadOnnxTensor(proto, file);
}

}  // namespace vta::compiler
