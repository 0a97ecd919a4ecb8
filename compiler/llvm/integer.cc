#include "compiler/llvm/integer.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "compiler/llvm/helpers.h"

namespace vta::compiler::llvm {
namespace {

constexpr int64_t kInt32Most = std::numeric_limits<int32_t>::max();
constexpr int64_t kInt32Least = std::numeric_limits<int32_t>::min();

bool Within(loop::Interval range, int64_t low, int64_t high) {
  return range.Known() && range.low >= low && range.high <= high;
}

struct Divided {
  Value quotient, rest;
};

/// Of 32 bits, less than 2^31, by a constant: as a product. Where a machine does not divide 64 bits
/// this is needed of counters, whose divisions LLVM may widen.
Divided DivideByProduct(Code& c, Value a, int64_t divisor) {
  const int log = std::bit_width(static_cast<uint64_t>(divisor - 1)), shift = 31 + log;
  // 2^shift / divisor, rounded up, errs by less than 2^log / 2^shift: too little to be seen.
  const int64_t factor = ((int64_t{1} << shift) + divisor - 1) / divisor;
  const Value product = c.Mul(c.ZeroExtend(a, 64), c.Int(64, factor));
  const Value q = c.Truncate(c.Lshr(product, c.Int(64, shift)), 32);
  return {q, c.Sub(a, c.Mul(q, c.Int(32, divisor)))};
}

/// Unsigned, by a divisor that is not 0.
Divided DivideUnsigned(Code& c, Value a, Value b) {
  int64_t divisor;
  const bool easy = Code::IsConst(b, &divisor) && Code::Bits(a) <= 32;
  if (easy || c.traits().divides) return {c.UDiv(a, b), c.URem(a, b)};
  const int bits = Code::Bits(a);
  const int width = bits <= 32 ? 32 : 64;
  const Value quotient = c.ByLanes(
      {c.ZeroExtend(a, width), c.ZeroExtend(b, width)},
      [&](const std::vector<Value>& args) { return c.Call(UnsignedDivide(c, width), args); });
  const Value q = c.Truncate(quotient, bits);
  return {q, c.Sub(a, c.Mul(q, b))};
}

Value Absolute(Code& c, Value a) {
  return c.Choose(c.Compare(Cmp::kSlt, a, c.Int(Code::Bits(a), 0, a)),
                  c.Sub(c.Int(Code::Bits(a), 0, a), a), a);
}

/// Any signed operands.
Divided DivideDown(Code& c, Value a, Value b) {
  const int bits = Code::Bits(a);
  const Value zero = c.Int(bits, 0, b), no_divisor = c.Compare(Cmp::kEq, b, zero);
  // On magnitudes, which cannot overflow as -128 / -1 does.
  const Value divisor = c.Choose(no_divisor, c.Int(bits, 1, b), Absolute(c, b));
  const Divided sizes = DivideUnsigned(c, Absolute(c, a), divisor);
  const Value inexact = c.Compare(Cmp::kNe, sizes.rest, c.Int(bits, 0, sizes.rest));
  const Value opposite = c.Compare(Cmp::kSlt, c.Xor(a, b), zero);
  const Value up = c.Add(sizes.quotient, c.ZeroExtend(inexact, bits));
  Value q = c.Choose(opposite, c.Sub(zero, up), sizes.quotient);
  q = c.Choose(no_divisor, zero, q);
  return {q, c.Sub(a, c.Mul(b, q))};
}

Divided Divide(Code& c, Value a, Value b, bool is_signed, loop::Interval a_range,
               loop::Interval b_range) {
  const int bits = Code::Bits(a);
  const bool positive = b_range.Known() && b_range.low > 0;
  if (!is_signed || (positive && a_range.low >= 0)) {
    if (bits == 64 && Within(a_range, 0, kInt32Most) && Within(b_range, 0, kInt32Most)) {
      const Value small = c.Truncate(a, 32);
      int64_t divisor;
      const Divided narrow = Code::IsConst(b, &divisor) && !c.traits().divides
                                 ? DivideByProduct(c, small, divisor)
                                 : DivideUnsigned(c, small, c.Truncate(b, 32));
      return {c.ZeroExtend(narrow.quotient, 64), c.ZeroExtend(narrow.rest, 64)};
    }
    if (positive) return DivideUnsigned(c, a, b);
    const Value none = c.Compare(Cmp::kEq, b, c.Int(bits, 0, b));
    const Divided d = DivideUnsigned(c, a, c.Choose(none, c.Int(bits, 1, b), b));
    const Value zero = c.Int(bits, 0, d.quotient);
    return {c.Choose(none, zero, d.quotient), c.Choose(none, a, d.rest)};
  }
  // floor(a / b) = -1 - (-1 - a) / b for negative a: what is divided is never negative.
  if (positive) {
    const Value sign = c.Ashr(a, c.Int(bits, bits - 1, a));
    loop::Interval size{0};
    if (a_range.Known()) size.high = std::max(a_range.high, -1 - a_range.low);
    const Divided d = Divide(c, c.Xor(a, sign), b, true, size, b_range);
    const Value q = c.Xor(d.quotient, sign);
    return {q, c.Sub(a, c.Mul(q, b))};
  }
  return DivideDown(c, a, b);
}

}  // namespace

Value FloorDiv(Code& c, Value a, Value b, bool is_signed, loop::Interval a_range,
               loop::Interval b_range) {
  return Divide(c, a, b, is_signed, a_range, b_range).quotient;
}
Value FloorMod(Code& c, Value a, Value b, bool is_signed, loop::Interval a_range,
               loop::Interval b_range) {
  return Divide(c, a, b, is_signed, a_range, b_range).rest;
}

Value ShiftRight(Code& c, Value a, Value n) {
  const Value zero = c.Int(32, 0, n), most = c.Int(32, 31, n);
  const Value right = c.Ashr(a, c.Max(zero, c.Min(n, most)));
  const Value by = c.Sub(zero, n);  // of the least int32 it is itself, and 0 by the last choice
  const Value left = c.Shl(a, c.And(by, most));
  const Value kept = c.Compare(Cmp::kSlt, c.Int(32, -32, n), n);
  return c.Choose(c.Compare(Cmp::kSle, zero, n), right, c.Choose(kept, left, c.Int(32, 0, left)));
}

Value Saturate(Code& c, Value x, loop::DType to) {
  const int bits = static_cast<int>(8 * loop::SizeBytes(to));
  if (bits == 64) {
    if (c.traits().converts_64)
      return c.Intrinsic("llvm.fptosi.sat", {c.Like(c.IntType(64), x), c.Like(c.FloatType(), x)},
                         {x});
    return c.ByLanes({x}, [&](const auto& args) { return c.Call(FloatToInt64(c), args); });
  }
  if (bits == 32)
    return c.Intrinsic("llvm.fptosi.sat", {c.Like(c.IntType(32), x), c.Like(c.FloatType(), x)},
                       {x});
  const loop::DTypeRow& row = loop::Row(to);
  const Value least = c.Float(static_cast<double>(row.low), x);
  const Value most = c.Float(static_cast<double>(row.high), x);
  x = c.Choose(c.Compare(FCmp::kEq, x, x), x, c.Float(0, x));
  x = c.Choose(c.Compare(FCmp::kLt, x, least), least, x);
  x = c.Choose(c.Compare(FCmp::kLt, most, x), most, x);
  return c.Truncate(c.FloatToInt(x, 32), bits);
}

Value ToFloat(Code& c, Value a, bool is_signed, loop::Interval range) {
  if (Code::Bits(a) < 64) return c.IntToFloat(a, is_signed);
  if (Within(range, kInt32Least, kInt32Most)) return c.IntToFloat(c.Truncate(a, 32), true);
  if (c.traits().converts_64) return c.IntToFloat(a, true);
  return c.ByLanes({a}, [&](const auto& args) { return c.Call(Int64ToFloat(c), args); });
}

}  // namespace vta::compiler::llvm
