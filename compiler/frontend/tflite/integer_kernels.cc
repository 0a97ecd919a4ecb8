#include "compiler/frontend/tflite/integer_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "compiler/frontend/math.h"

namespace vta::compiler {
namespace {

ValueId CastTo(TfliteNode& node, ValueId x, DType dtype) {
  return node.type(x).dtype == dtype
             ? x
             : node.Emit(Op::kCast, {x}, {{"to", std::string(Name(dtype))}});
}

constexpr int64_t kOne = int64_t{1} << 31;                          // of a factor's multiplier
constexpr int64_t kPlaces = int64_t{1} << 16, kZero = kPlaces / 2;  // of int16

/// sigmoid(i / 24), of which 2^16 is 1, a little above it: as far as chords from one entry to the
/// next lie below the function half way, half of that. The last entry is the end.
std::array<int64_t, 256> SigmoidTable() {
  std::array<int64_t, 256> table;
  constexpr double kStep = 1.0 / 24, kOne = 65536;
  for (size_t i = 0; i < table.size(); ++i) {
    const double y = 1 / (1 + std::exp(-static_cast<double>(i) * kStep));
    const double bend = y * (1 - y) * (1 - 2 * y);  // the second derivative
    table[i] = std::llround(kOne * (y - bend * kStep * kStep / 16));
  }
  table.back() = 65535;
  return table;
}

/// The table's value at x / 2^bits, times 2^bits; `most` where the table has ended.
int64_t Interpolated(const std::array<int64_t, 256>& table, int64_t x, int bits, int64_t most) {
  const int64_t place = x >> bits;
  if (place >= std::ssize(table) - 1) return most;
  const int64_t part = x & ((int64_t{1} << bits) - 1);
  return (table[place] << bits) + part * (table[place + 1] - table[place]);
}

int16_t ValueOf(CodeFunction function, const std::array<int64_t, 256>& table, int64_t x) {
  const int64_t size = std::abs(x);
  if (function == CodeFunction::kLogistic) {
    const int64_t of_size = Interpolated(table, size, 9, int64_t{0x7fff} << 10);
    const int64_t made = x >= 0 ? of_size + 512 : (int64_t{1} << 25) - of_size + 511;
    return static_cast<int16_t>(made >> 10);
  }
  const int64_t of_size = Interpolated(table, size, 8, int64_t{0xffff} << 8);
  const int64_t made =
      x >= 0 ? of_size - (int64_t{1} << 23) + 128 : -of_size + (int64_t{1} << 23) + 127;
  return static_cast<int16_t>(made >> 8);
}

}  // namespace

ValueId Centred(TfliteNode& node, ValueId codes, int64_t zero_point, DType wide) {
  const ValueId x = CastTo(node, codes, wide);
  return zero_point == 0
             ? x
             : node.Emit(Op::kSub, {x, node.Number(x, static_cast<double>(zero_point))});
}

RescaleTwice::RescaleTwice(TfliteNode& node, const std::vector<FixedPoint>& factors) : node_(node) {
  std::vector<int64_t> left, multipliers, halves, right;
  for (const FixedPoint& factor : factors) {
    left.push_back(int64_t{1} << std::max(factor.exponent, 0));
    multipliers.push_back(factor.multiplier);
    right.push_back(int64_t{1} << std::max(-factor.exponent, 0));
    halves.push_back(right.back() / 2);
  }
  const auto each = [&](const char* name, const std::vector<int64_t>& values) {
    const bool alike = std::ranges::count(values, values[0]) == std::ssize(values);
    return alike ? node.AddConstant(name, Tensor::Scalar(values[0]))
                 : node.AddConstant(name, Tensor::Of<int64_t>({std::ssize(values)}, values));
  };
  if (*std::ranges::max_element(left) > 1) left_ = each("left", left);
  multiplier_ = each("multiplier", multipliers);
  above_ = each("above", {kOne / 2 + kOne * kOne}), one_ = each("one", {kOne});
  if (*std::ranges::max_element(right) > 1)
    half_ = each("half", halves), right_ = each("right", right);
}

ValueId RescaleTwice::operator()(ValueId x) const {
  const Math m{node_, x};
  if (left_ != kNone) x = m(Op::kMul, x, left_);
  // Division goes towards 0: of what is made larger than 0 it rounds down.
  x = m(Op::kDiv, m(Op::kAdd, m(Op::kMul, x, multiplier_), above_), one_);
  x = m(Op::kSub, x, one_);
  if (right_ == kNone) return x;
  return m(Op::kDiv, m(Op::kAdd, x, m(Op::kMul, m(Op::kSign, x), half_)), right_);
}

ValueId Saturated(TfliteNode& node, ValueId x, DType dtype) {
  const ValueId within = DispatchDType(dtype, [&](auto zero) {
    using T = decltype(zero);
    return Math{node, x}.Clip(x, static_cast<double>(std::numeric_limits<T>::lowest()),
                              static_cast<double>(std::numeric_limits<T>::max()));
  });
  return CastTo(node, within, dtype);
}

Tensor TableOf(CodeFunction function, int64_t multiplier, int64_t shift) {
  const std::array<int64_t, 256> table = SigmoidTable();
  Tensor values(TensorType{DType::kInt16, {kPlaces}});
  const int64_t factor = multiplier == 0 ? int64_t{3} << shift : multiplier;
  const int64_t right = multiplier == 0 ? 0 : shift;
  const int64_t half = right > 0 ? int64_t{1} << (right - 1) : 0;
  for (int64_t i = 0; i < kPlaces; ++i)
    values.mutable_data<int16_t>()[i] =
        ValueOf(function, table, ((i - kZero) * factor + half) >> right);
  return values;
}

ValueId InTable(TfliteNode& node, ValueId table, ValueId x) {
  const ValueId place = Math{node, x}(Op::kAdd, x, static_cast<double>(kZero));
  return CastTo(node, node.Emit(Op::kGather, {table, place}, {{"axis", int64_t{0}}}),
                DType::kInt64);
}

}  // namespace vta::compiler
