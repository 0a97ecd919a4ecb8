#include "compiler/llvm/math.h"

#include <iterator>
#include <limits>
#include <span>

#include "isa/spec/gpu.h"

namespace vta::compiler::llvm {
namespace {

constexpr double kLn2 = 0.693147180559945309417;
// 1.5 * 2^52: added to a small double, its low bits hold the nearest integer.
constexpr double kShifter = 6755399441055744.0;
constexpr int64_t kShifterBits = 0x4338000000000000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of a double; lowest power first.
Value Polynomial(Code& c, Value x, std::span<const double> coefficients) {
  Value sum = c.Real(coefficients.back(), x);
  for (size_t i = coefficients.size() - 1; i-- > 0;)
    sum = c.FAdd(c.FMul(sum, x), c.Real(coefficients[i], x));
  return sum;
}

/// Of a float x, whose square is there, by pairs (Estrin): fewer operations wait for each other.
Value PolynomialByPairs(Code& c, Value x, Value square, std::span<const double> coefficients) {
  Value sum = nullptr;
  for (size_t pair = (coefficients.size() + 1) / 2; pair-- > 0;) {
    const size_t low = 2 * pair;
    Value own = c.Float(coefficients[low], x);
    if (low + 1 < coefficients.size())
      own = c.FAdd(c.FMul(c.Float(coefficients[low + 1], x), x), own);
    sum = sum ? c.FAdd(c.FMul(sum, square), own) : own;
  }
  return sum;
}

/// NaN stays.
Value Clamp(Code& c, Value x, Value least, Value most) {
  x = c.Choose(c.Compare(FCmp::kLt, x, least), least, x);
  return c.Choose(c.Compare(FCmp::kLt, most, x), most, x);
}
Value ClampFloat(Code& c, Value x, double least, double most) {
  return Clamp(c, x, c.Float(least, x), c.Float(most, x));
}

/// The float x as 2^whole * (1 + rest), where e^x is meant.
struct Power {
  Value whole;  // int32
  Value rest;   // between sqrt(1/2) - 1 and sqrt(2) - 1
};

/// e^(x + more), for |x| below 2^20 and a `more` far smaller, or null. Of `rest` the error is 1e-8.
Power SplitExp(Code& c, Value x, Value more = nullptr) {
  // 1.5 * 2^23: added to a small float, its low bits hold the nearest integer. ln(2) is in two
  // parts, whose first gives exact products.
  const Value shifter = c.Float(12582912.0, x);
  const Value shifted = c.FAdd(c.FMul(x, c.Float(1 / kLn2, x)), shifter);
  const Value whole = c.FSub(shifted, shifter);
  constexpr double kLn2High = 355.0 / 512;
  Value low = c.FMul(whole, c.Float(kLn2 - kLn2High, x));
  if (more) low = c.FSub(low, more);
  const Value r = c.FSub(c.FSub(x, c.FMul(whole, c.Float(kLn2High, x))), low);
  // (e^r - 1 - r) / r^2, of least largest error for |r| <= ln(2) / 2.
  constexpr double kTail[] = {0.49999994, 0.16666521, 0.04166839, 0.008368711, 0.001381461};
  const Value square = c.FMul(r, r);
  const Value tail = c.FMul(square, PolynomialByPairs(c, r, square, kTail));
  return {c.Sub(c.BitsOf(shifted), c.BitsOf(shifter)), c.FAdd(r, tail)};
}

/// 2^exponent, of an int32 between -126 and 127.
Value PowerOfTwo(Code& c, Value exponent) {
  return c.FloatOf(c.Shl(c.Add(exponent, c.Int(32, 127, exponent)), c.Int(32, 23, exponent)));
}

/// tanh(x / 2) for x between 0 and 80, as e / (e + 2) with e = e^x - 1.
Value TanhOfHalf(Code& c, Value x) {
  const Power power = SplitExp(c, x);
  const Value scale = PowerOfTwo(c, power.whole);
  const Value e = c.FAdd(c.FMul(scale, power.rest), c.FSub(scale, c.Float(1, x)));
  return c.FDiv(e, c.FAdd(e, c.Float(2, x)));
}

/// e^x for doubles; beyond what a float holds it stays finite.
Value ExpOfDouble(Code& c, Value x) {
  x = Clamp(c, x, c.Real(-120, x), c.Real(100, x));
  const Value shifted = c.FAdd(c.FMul(x, c.Real(1 / kLn2, x)), c.Real(kShifter, x));
  const Value whole = c.FSub(shifted, c.Real(kShifter, x));
  const Value rest = c.FSub(x, c.FMul(whole, c.Real(kLn2, x)));
  // Taylor's series; |rest| <= ln(2) / 2.
  constexpr double kTaylor[] = {1.0,       1.0,       1.0 / 2,    1.0 / 6,     1.0 / 24,
                                1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880};
  const Value power = c.Shl(c.Add(c.BitsOf(shifted), c.Int(64, 1023, x)), c.Int(64, 52, x));
  return c.FMul(Polynomial(c, rest, kTaylor), c.DoubleOf(power));
}

/// ln(x) for doubles that floats can hold: at least 2^-149, infinity, 0, negative, NaN.
Value LogOfDouble(Code& c, Value x) {
  // x = 2^e * m with m in [sqrt(1/2), sqrt(2)).
  constexpr int64_t kSqrtHalfBits = 0x3FE6A09E667F3BCD, kBias = 1024;
  const Value bits = c.BitsOf(x);
  const Value moved = c.Add(bits, c.Int(64, (kBias << 52) - kSqrtHalfBits, x));
  const Value biased = c.Lshr(moved, c.Int(64, 52, x));
  const Value exponent =
      c.FSub(c.DoubleOf(c.Or(biased, c.Int(64, kShifterBits, x))), c.Real(kShifter + kBias, x));
  const Value m =
      c.DoubleOf(c.Sub(bits, c.Shl(c.Sub(biased, c.Int(64, kBias, x)), c.Int(64, 52, x))));
  // ln(m) = 2 atanh(f); |f| <= 0.172.
  const Value one = c.Real(1, x);
  const Value f = c.FDiv(c.FSub(m, one), c.FAdd(m, one));
  constexpr double kAtanh[] = {2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11};
  Value y =
      c.FAdd(c.FMul(exponent, c.Real(kLn2, x)), c.FMul(f, Polynomial(c, c.FMul(f, f), kAtanh)));
  const Value zero = c.Real(0, x), infinity = c.Real(kInfinity, x);
  y = c.Choose(c.Compare(FCmp::kEq, x, infinity), infinity, y);
  y = c.Choose(c.Compare(FCmp::kEq, x, zero), c.Real(-kInfinity, x), y);
  // What is left: negative numbers, and NaN.
  return c.Choose(c.Compare(FCmp::kLe, zero, x), y,
                  c.Real(std::numeric_limits<double>::quiet_NaN(), x));
}

constexpr int64_t kFloatSign = -int64_t{0x80000000};

Value Magnitude(Code& c, Value x) {
  return c.FloatOf(c.And(c.BitsOf(x), c.Int(32, ~kFloatSign, x)));
}
Value WithSignOf(Code& c, Value magnitude, Value sign) {
  return c.FloatOf(c.Or(c.And(c.BitsOf(magnitude), c.Int(32, ~kFloatSign, magnitude)),
                        c.And(c.BitsOf(sign), c.Int(32, kFloatSign, magnitude))));
}

/// By adding and taking away 2^23, from where on all floats are integers.
Value RoundEvenBySum(Code& c, Value x) {
  const Value limit = c.Float(8388608.0, x), size = Magnitude(c, x);
  const Value near = c.FSub(c.FAdd(size, limit), limit);
  return c.Choose(c.Compare(FCmp::kLt, size, limit), WithSignOf(c, near, x), x);
}

}  // namespace

Value Exp(Code& c, Value x) {
  const Power power = SplitExp(c, ClampFloat(c, x, -104, 89));
  // In two steps: 2^whole alone may be more than a float holds, or less.
  const Value half = c.Ashr(power.whole, c.Int(32, 1, x));
  const Value sum = c.FAdd(power.rest, c.Float(1, x));
  return c.FMul(c.FMul(sum, PowerOfTwo(c, half)), PowerOfTwo(c, c.Sub(power.whole, half)));
}

Value Log(Code& c, Value x) { return c.ToFloat(LogOfDouble(c, c.ToDouble(x))); }

Value Tanh(Code& c, Value x) {
  const Value size = Magnitude(c, x);
  return WithSignOf(c, TanhOfHalf(c, ClampFloat(c, c.FAdd(size, size), 0, 20)), x);
}

Value Erf(Code& c, Value x) {
  // atanh(erf(x)) / x - 1 in x^2, for |x| <= 3.92, where erf is 1: tanh makes its error small.
  constexpr double kRatio[] = {0.12837923,   0.10276905,     -0.00019183040, -0.00061978510,
                               8.7637535e-5, -5.66851577e-6, 1.41854812e-7};
  const Value near = ClampFloat(c, x, -3.92, 3.92);
  const Value square = c.FMul(near, near);
  const Value ratio = PolynomialByPairs(c, square, c.FMul(square, square), kRatio);
  const Value half = Magnitude(c, c.FAdd(c.FMul(near, ratio), near));
  return WithSignOf(c, TanhOfHalf(c, c.FAdd(half, half)), x);
}

Value Gelu(Code& c, Value x) {
  // Of t = |x|: max(x, 0) - t * exp(-t^2 / 2) / d(t), where 1 / d(t) = exp(t^2 / 2) erfc(t /
  // sqrt(2)) / 2. d is interpolated for t <= 5, behind which what is taken away is next to
  // nothing.
  constexpr double kD[] = {2.0, 1.5957663, 0.27325255, -0.0479466021};
  constexpr double kSmall[] = {-0.000567674811, 0.00343769183, -0.00120829872, 0.000240726542,
                               -2.98168634e-5,  2.14223882e-6, -6.84151402e-8};
  const auto at_most = [&](Value value, double most) {
    return c.Choose(c.Compare(FCmp::kLt, c.Float(most, x), value), c.Float(most, x), value);
  };
  const Value t = at_most(Magnitude(c, x), 13);
  // t^2 in two parts: 12 bits of t have an exact square.
  const Value high = c.FloatOf(c.And(c.BitsOf(t), c.Int(32, ~int64_t{0xFFF}, x)));
  const Value half = c.Float(-0.5, x);
  const Power power = SplitExp(c, c.FMul(c.FMul(high, high), half),
                               c.FMul(c.FMul(c.FSub(t, high), c.FAdd(t, high)), half));
  const Value near = at_most(t, 5);
  Value d = PolynomialByPairs(c, near, c.FMul(near, near), kSmall);
  for (size_t i = std::size(kD); i-- > 0;) d = c.FAdd(c.FMul(d, near), c.Float(kD[i], x));
  const Value share = c.FDiv(t, d);
  const Value less = c.FMul(c.FAdd(share, c.FMul(share, power.rest)), PowerOfTwo(c, power.whole));
  const Value zero = c.Float(0, x);
  const Value above = c.Choose(c.Compare(FCmp::kLt, zero, x), x, zero);
  const Value taken = c.Choose(c.Compare(FCmp::kLe, c.Float(13, x), t), zero, less);
  return WithSignOf(c, c.FSub(above, taken), x);
}

Value Pow(Code& c, Value x, Value y) {
  if (Code::Lanes(y) > Code::Lanes(x)) x = c.Splat(x, Code::Lanes(y));
  y = c.Splat(y, Code::Lanes(x));
  const Value size = Magnitude(c, x), one = c.Float(1, x), zero = c.Float(0, x);
  Value r = c.ToFloat(ExpOfDouble(c, c.FMul(c.ToDouble(y), LogOfDouble(c, c.ToDouble(size)))));
  r = c.Choose(c.Compare(FCmp::kEq, size, one), one, r);
  // A negative base: the sign of odd powers, NaN where the exponent is no integer.
  const Value half = c.FMul(y, c.Float(0.5, y));
  const Value whole = c.Compare(FCmp::kEq, Floor(c, y), y);
  const Value odd = c.And(whole, c.Compare(FCmp::kNe, Floor(c, half), half));
  const Value signed_r = WithSignOf(c, r, x);
  r = c.Choose(odd, signed_r, r);
  const Value nan = c.Float(std::numeric_limits<double>::quiet_NaN(), x);
  const Value finite = c.Compare(FCmp::kLt, c.Float(-kInfinity, x), x);
  const Value negative = c.And(c.Compare(FCmp::kLt, x, zero), finite);
  r = c.Choose(c.And(negative, c.Not(whole)), nan, r);
  r = c.Choose(c.Compare(FCmp::kEq, y, y), r, nan);
  const Value always = c.Or(c.Compare(FCmp::kEq, y, zero), c.Compare(FCmp::kEq, x, one));
  return c.Choose(always, one, r);
}

Value RoundEven(Code& c, Value x) {
  return c.traits().rounds ? c.Intrinsic("llvm.roundeven", {x}) : RoundEvenBySum(c, x);
}

Value HalfToFloat(Code& c, Value bits) {
  if (c.traits().arch == isa::kPtxArch) return c.ToFloat(c.HalfOf(bits));
  const Value half = c.ZeroExtend(bits, 32), places = c.Int(32, 13, half);
  const Value all = c.And(half, c.Int(32, 0x7FFF, half));
  const Value sign = c.Shl(c.And(half, c.Int(32, 0x8000, half)), c.Int(32, 16, half));
  const Value exponent = c.And(half, c.Int(32, 0x7C00, half));
  const auto moved = [&](int64_t bias) {
    return c.Add(c.Shl(all, places), c.Int(32, bias << 23, half));
  };
  const Value tiny = c.BitsOf(c.FMul(c.IntToFloat(all, true), c.Float(0x1p-24, half)));
  const Value number = c.Choose(
      c.Compare(Cmp::kEq, exponent, c.Int(32, 0, half)), tiny,
      c.Choose(c.Compare(Cmp::kEq, exponent, c.Int(32, 0x7C00, half)), moved(224), moved(112)));
  return c.FloatOf(c.Or(number, sign));
}

Value WithinHalf(Code& c, Value x) {
  constexpr double kMost = 65504;
  const Value least = c.Intrinsic("llvm.minimum", {x, c.Float(kMost, x)});
  return c.Intrinsic("llvm.maximum", {least, c.Float(-kMost, x)});
}

Value FloatToHalf(Code& c, Value x) {
  constexpr int64_t kLargest = 0x477FE000, kLeast = 0x38800000, kInfinite = 0x7F800000;
  if (c.traits().arch == isa::kPtxArch) return c.BitsOf(c.ToHalf(WithinHalf(c, x)));
  const Value bits = c.BitsOf(x), size = c.And(bits, c.Int(32, 0x7FFFFFFF, bits));
  const Value sign = c.And(c.Lshr(bits, c.Int(32, 16, bits)), c.Int(32, 0x8000, bits));
  const Value odd = c.And(c.Lshr(size, c.Int(32, 13, bits)), c.Int(32, 1, bits));
  const Value moved = c.Add(c.Add(size, odd), c.Int(32, 0xFFF - (int64_t{112} << 23), bits));
  const Value number = c.Lshr(moved, c.Int(32, 13, bits));
  // Of these the bits of the sum's fraction are the number.
  const Value tiny =
      c.And(c.BitsOf(c.FAdd(c.FloatOf(size), c.Float(0.5, x))), c.Int(32, 0x7FF, bits));
  Value half = c.Choose(c.Compare(Cmp::kSlt, size, c.Int(32, kLeast, bits)), tiny, number);
  half = c.Choose(c.Compare(Cmp::kSlt, size, c.Int(32, kLargest, bits)), half,
                  c.Choose(c.Compare(Cmp::kSlt, c.Int(32, kInfinite, bits), size),
                           c.Int(32, 0x7E00, bits), c.Int(32, 0x7BFF, bits)));
  return c.Truncate(c.Or(sign, half), 16);
}

Value Floor(Code& c, Value x) {
  if (c.traits().rounds) return c.Intrinsic("llvm.floor", {x});
  const Value near = RoundEvenBySum(c, x);
  const Value below = c.FSub(near, c.Float(1, x));
  return c.Choose(c.Compare(FCmp::kLt, x, near), below, near);
}

}  // namespace vta::compiler::llvm
