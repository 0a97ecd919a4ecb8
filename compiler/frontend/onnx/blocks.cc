// Weights whose scales are for blocks of an axis, and codes of few bits packed into bytes.
#include "compiler/frontend/onnx/blocks.h"

#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

/// Each element along the axis `block` times, of which `size` stay.
ValueId Repeated(OnnxNode& node, ValueId x, int64_t axis, int64_t block, int64_t size) {
  Shape apart = node.type(x).shape, joined = apart;
  apart.insert(apart.begin() + axis + 1, 1);
  Shape repeated = apart;
  repeated[axis + 1] = block;
  joined[axis] *= block;
  const ValueId all = node.Emit(Op::kExpand, {node.Reshape(x, apart)}, {{"shape", repeated}});
  return Slice(node, node.Reshape(all, joined), axis, 0, size);
}

ValueId AsFloat(OnnxNode& node, ValueId x) {
  return node.Emit(Op::kCast, {x}, {{"to", "float32"}});
}

}  // namespace

ValueId DequantizeBlocks(OnnxNode& node, const Blocks& b) {
  const Shape x = node.type(b.codes).shape, scales = node.type(b.scale).shape;
  constexpr int64_t kMostSize = int64_t{1} << 31;
  Shape asked = x;
  if (b.size >= 1 && b.size <= kMostSize) asked[b.axis] = (x[b.axis] + b.size - 1) / b.size;
  if (b.size < 1 || b.size > kMostSize || scales != asked)
    throw node.Fail("scale shape", ToText(scales),
                    StrCat("must be ", ToText(asked), ", in blocks of ", b.size));
  const auto spread = [&](ValueId value) {
    return Repeated(node, value, b.axis, b.size, x[b.axis]);
  };
  ValueId real = AsFloat(node, b.codes);
  if (b.zero != kNone) {
    if (node.type(b.zero).shape != scales)
      throw node.Fail("zero point shape", ToText(node.type(b.zero).shape),
                      StrCat("must be the scale's ", ToText(scales)));
    real = node.Emit(Op::kSub, {real, spread(AsFloat(node, b.zero))});
  }
  return node.Emit(Op::kMul, {real, spread(b.scale)});
}

std::vector<uint8_t> UnpackCodes(std::span<const uint8_t> bytes, int64_t bits, int64_t rows,
                                 int64_t columns) {
  const int64_t per_byte = 8 / bits, row_bytes = (columns + per_byte - 1) / per_byte;
  VTA_CHECK(std::ssize(bytes) == rows * row_bytes, bytes.size());
  std::vector<uint8_t> codes(rows * columns);
  for (int64_t i = 0; i < rows * columns; ++i) {
    const int64_t column = i % columns;
    const uint8_t byte = bytes[i / columns * row_bytes + column / per_byte];
    codes[i] = static_cast<uint8_t>(byte >> (column % per_byte * bits) & ((1 << bits) - 1));
  }
  return codes;
}

/// Of ONNX Runtime. Inputs: A [...,K], B [N,blocks,bytes], scales [N,blocks], zero points, none,
/// bias [N].
void ConvertMatMulNBits(OnnxNode& node) {
  const int64_t k = node.Int("K", 0), n = node.Int("N", 0), bits = node.Int("bits", 4);
  const int64_t size = node.Int("block_size", 0);
  node.Ignore("accuracy_level");  // says what may be less exact
  if (bits != 2 && bits != 4 && bits != 8)
    throw node.Fail("attribute bits", StrCat(bits), "must be 2, 4 or 8");
  constexpr int64_t kMost = 1 << 24;
  if (k < 1 || n < 1 || k > kMost || n > kMost || size < 16 || size > kMost || size % 16 != 0)
    throw node.Fail("attributes K, N and block_size", StrCat(k, ", ", n, " and ", size),
                    "must be 1 to 2^24, the last a multiple of 16");
  if (node.Has(4)) throw node.Fail("input g_idx", "given", "is not supported");
  const int64_t blocks = (k + size - 1) / size;
  const auto codes = [&](int64_t input, const char* what, int64_t columns, const Shape& shape) {
    const Tensor& packed = node.Constant(input, what);
    const int64_t row_bytes = (columns * bits + 7) / 8;
    if (packed.dtype() != DType::kUint8 || packed.elements() != n * row_bytes)
      throw node.Fail(what, ToText(packed.type()), StrCat("must be ", n * row_bytes, " bytes"));
    node.Require({DType::kUint8, {n, columns}});
    Tensor tensor(TensorType{DType::kUint8, {n, columns}},
                  UnpackCodes(packed.bytes(), bits, n, columns));
    return node.AddConstant("codes", std::move(tensor).Reshaped(shape));
  };
  const ValueId all = codes(1, "input B", blocks * size, {n, blocks * size});
  ValueId zero = kNone;
  if (!node.Has(3)) {
    std::vector<uint8_t> middle(n * blocks, static_cast<uint8_t>(1 << (bits - 1)));
    zero = node.AddConstant("middle", Tensor::Of({n, blocks}, middle));
  } else if (node.Type(3).dtype == DType::kUint8) {
    zero = codes(3, "input zero_points", blocks, {n, blocks});
  } else {
    zero = node.Reshape(node.Input(3), {n, blocks});
  }
  if (Elements(node.InputShape(2)) != n * blocks)
    throw node.Fail("input scales", ToText(node.Type(2)), StrCat("must be [", n, ",", blocks, "]"));
  const ValueId scale = node.Reshape(node.Input(2), {n, blocks});
  const ValueId weights = Slice(node, DequantizeBlocks(node, {all, scale, zero, 1, size}), 1, 0, k);
  const ValueId turned =
      node.Emit(Op::kTranspose, {weights}, {{"perm", std::vector<int64_t>{1, 0}}});
  ValueId y = node.Emit(Op::kMatMul, {node.Input(0), turned});
  if (node.Has(5)) y = node.Emit(Op::kAdd, {y, node.Input(5)});
  node.Result(y);
}

}  // namespace vta::compiler
