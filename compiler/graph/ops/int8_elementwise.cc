// Element-wise integer ops: add, mul, requant, lookup; and the switch between uint8 and int8 codes.
#include <cstdlib>

#include "compiler/graph/ops/int8_common.h"

namespace vta::compiler::ops {
namespace {

/// Sums of two codes times the multipliers of add_i8 fit 32 bits.
constexpr int64_t kMostMultipliers = (1 << 24) - 1;
constexpr int64_t kCodes = 256;

template <typename F>
Tensor RequantBinary(const EvalView& view, F accumulate) {
  const isa::RequantLane lane = ReadRequant(view);
  const auto ia = BroadcastIndices(view.shape(0), view.output.shape);
  const auto ib = BroadcastIndices(view.shape(1), view.output.shape);
  auto a = view.tensor(0).data<int8_t>(), b = view.tensor(1).data<int8_t>();
  Tensor result(view.output);
  auto y = result.mutable_data<int8_t>();
  for (size_t i = 0; i < y.size(); ++i)
    y[i] = static_cast<int8_t>(isa::Requant(accumulate(a[ia[i]], b[ib[i]]), lane, view.rounding));
  return result;
}

}  // namespace

TensorType InferBinaryI8(const OpView& view) {
  for (int i = 0; i < 2; ++i)
    view.Require(view.dtype(i) == DType::kInt8, "input type", Name(view.dtype(i)), "must be int8");
  CheckRequant(view);
  const bool add = view.node.op == Op::kAddI8;
  if (add) {
    const int64_t a = CheckRange(view, "multiplier_a", -kMostMultipliers, kMostMultipliers);
    const int64_t rest = kMostMultipliers - std::abs(a);
    CheckRange(view, "multiplier_b", -rest, rest);
  }
  for (const char* name : {"zero_a", "zero_b"})
    if (!add) CheckRange(view, name, -128, 127);
  return {DType::kInt8, BroadcastShape(view, view.shape(0), view.shape(1))};
}

Tensor EvalAddI8(const EvalView& view) {
  const auto ma = static_cast<int32_t>(view.Int("multiplier_a"));
  const auto mb = static_cast<int32_t>(view.Int("multiplier_b"));
  return RequantBinary(view, [&](int32_t a, int32_t b) { return ma * a + mb * b; });
}

Tensor EvalMulI8(const EvalView& view) {
  const auto za = static_cast<int32_t>(view.Int("zero_a"));
  const auto zb = static_cast<int32_t>(view.Int("zero_b"));
  return RequantBinary(view, [&](int32_t a, int32_t b) { return (a - za) * (b - zb); });
}

/// Inputs: codes a and b; what each of their codes, from -128 on, adds to the sum.
TensorType InferAddLookupI8(const OpView& view) {
  for (int i = 0; i < 4; ++i) {
    const DType type = i < 2 ? DType::kInt8 : DType::kInt32;
    view.Require(view.dtype(i) == type, "input type", Name(view.dtype(i)),
                 StrCat("must be ", Name(type)));
    view.Require(i < 2 || view.shape(i) == Shape{kCodes}, "input shape", ToText(view.shape(i)),
                 StrCat("must be [", kCodes, "]: a number for each code"));
  }
  CheckRequant(view);
  return {DType::kInt8, BroadcastShape(view, view.shape(0), view.shape(1))};
}

Tensor EvalAddLookupI8(const EvalView& view) {
  auto a = view.tensor(2).data<int32_t>(), b = view.tensor(3).data<int32_t>();
  return RequantBinary(view,
                       [&](int32_t x, int32_t y) { return isa::WrapAdd(a[x + 128], b[y + 128]); });
}

/// Of codes, or of int32 sums.
TensorType InferRequantI8(const OpView& view) {
  view.Require(view.dtype(0) == DType::kInt8 || view.dtype(0) == DType::kInt32, "input type",
               Name(view.dtype(0)), "must be int8 or int32");
  CheckRequant(view);
  return {DType::kInt8, view.shape(0)};
}

Tensor EvalRequantI8(const EvalView& view) {
  const isa::RequantLane lane = ReadRequant(view);
  Tensor result(view.output);
  const auto made = result.mutable_data<int8_t>();
  const auto requant = [&](auto data) {
    for (size_t i = 0; i < made.size(); ++i)
      made[i] = static_cast<int8_t>(isa::Requant(data[i], lane, view.rounding));
  };
  view.dtype(0) == DType::kInt8 ? requant(view.tensor(0).data<int8_t>())
                                : requant(view.tensor(0).data<int32_t>());
  return result;
}

/// Inputs: codes; the code that each of them, from -128 on, becomes.
TensorType InferLookupI8(const OpView& view) {
  for (int i = 0; i < 2; ++i)
    view.Require(view.dtype(i) == DType::kInt8, "input type", Name(view.dtype(i)), "must be int8");
  view.Require(view.shape(1) == Shape{kCodes}, "table shape", ToText(view.shape(1)),
               StrCat("must be [", kCodes, "]: a code for each code"));
  return *view.inputs[0];
}

Tensor EvalLookupI8(const EvalView& view) {
  const auto table = view.tensor(1).data<int8_t>();
  Tensor result = view.tensor(0);
  for (int8_t& v : result.mutable_data<int8_t>()) v = table[v + 128];
  return result;
}

/// Inputs: codes; multipliers and exponents of those below the zero point, one for each channel.
/// Shape: x [N,C], [N,C,H,W] or packed; the others [1,C] or [1,C,1,1].
TensorType InferPreluI8(const OpView& view) {
  const Activation x = ReadActivation(view, 0);
  CheckRequant(view);
  CheckRange(view, "bias", -127, 128);
  for (int i = 1; i < 3; ++i) {
    const TensorType& below = *view.inputs[i];
    const bool packed = x.rank == 6;
    const int64_t channels = below.shape.size() < 2 ? 0 : below.shape[1];
    const bool fits = packed ? RoundUp(channels, x.channel_block) == x.c : channels == x.c;
    Shape shape(packed ? 4 : x.rank, 1);
    shape[1] = channels;
    view.Require(below.dtype == DType::kInt32 && fits && below.shape == shape,
                 i == 1 ? "multipliers" : "exponents", ToText(below),
                 StrCat("must be int32, one for each of ", x.c, " channels"));
  }
  return *view.inputs[0];
}

Tensor EvalPreluI8(const EvalView& view) {
  const Activation x = ReadActivation(view, 0);
  const auto multipliers = view.tensor(1).data<int32_t>(),
             exponents = view.tensor(2).data<int32_t>();
  const isa::RequantLane above = ReadRequant(view);
  std::vector<int8_t> codes = Unpack(view.tensor(0), x);
  for (size_t i = 0; i < codes.size(); ++i) {
    const size_t c = i / (x.h * x.w) % x.c;
    isa::RequantLane lane = above;
    if (c < multipliers.size() && codes[i] + above.bias < 0) {
      lane.multiplier = multipliers[c];
      lane.exponent = static_cast<int8_t>(exponents[c]);
    }
    codes[i] = c < multipliers.size()
                   ? static_cast<int8_t>(isa::Requant(codes[i], lane, view.rounding))
                   : int8_t{0};
  }
  return Pack(codes, x);
}

TensorType InferFlipSign(const OpView& view) {
  view.Require(view.dtype(0) == DType::kInt8 || view.dtype(0) == DType::kUint8, "input type",
               Name(view.dtype(0)), "must be int8 or uint8");
  return {view.dtype(0) == DType::kInt8 ? DType::kUint8 : DType::kInt8, view.shape(0)};
}

Tensor EvalFlipSign(const EvalView& view) {
  Tensor result(view.output);
  for (size_t i = 0; i < result.bytes().size(); ++i)
    result.mutable_bytes()[i] = view.tensor(0).bytes()[i] ^ 0x80;
  return result;
}

}  // namespace vta::compiler::ops
