#include "compiler/llvm/math.h"

#include <iterator>
#include <limits>
#include <span>

namespace vta::compiler::llvm {
namespace {

constexpr double kLn2 = 0.693147180559945309417;
// 1.5 * 2^52: added to a small double, its low bits hold the nearest integer.
constexpr double kShifter = 6755399441055744.0;
constexpr int64_t kShifterBits = 0x4338000000000000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Lowest power first.
Value Polynomial(Code& c, Value x, std::span<const double> coefficients) {
  Value sum = c.Real(coefficients.back(), x);
  for (size_t i = coefficients.size() - 1; i-- > 0;)
    sum = c.FAdd(c.FMul(sum, x), c.Real(coefficients[i], x));
  return sum;
}

/// NaN stays.
Value Clamp(Code& c, Value x, double low, double high) {
  const Value least = c.Real(low, x), most = c.Real(high, x);
  x = c.Choose(c.Compare(FCmp::kLt, x, least), least, x);
  return c.Choose(c.Compare(FCmp::kLt, most, x), most, x);
}

/// e^x for doubles; beyond what a float holds it stays finite.
Value ExpOfDouble(Code& c, Value x) {
  x = Clamp(c, x, -120, 100);
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

Value Exp(Code& c, Value x) { return c.ToFloat(ExpOfDouble(c, c.ToDouble(x))); }
Value Log(Code& c, Value x) { return c.ToFloat(LogOfDouble(c, c.ToDouble(x))); }

Value Tanh(Code& c, Value x) {
  const Value wide = c.ToDouble(x), size = c.ToDouble(Magnitude(c, x));
  const Value one = c.Real(1, size), two = c.Real(2, size);
  const Value power = ExpOfDouble(c, c.FMul(two, Clamp(c, size, 0, 20)));
  const Value far = c.FSub(one, c.FDiv(two, c.FAdd(power, one)));
  constexpr double kTaylor[] = {1.0, -1.0 / 3, 2.0 / 15, -17.0 / 315, 62.0 / 2835};
  const Value near = c.FMul(wide, Polynomial(c, c.FMul(wide, wide), kTaylor));
  return c.Choose(c.Compare(FCmp::kLt, size, c.Real(0.1, size)), c.ToFloat(near),
                  WithSignOf(c, c.ToFloat(far), x));
}

Value Erf(Code& c, Value x) {
  // erf(x) / x in u = x^2 / 8 - 1, for |x| <= 4: interpolated at Chebyshev's points.
  constexpr double kRatio[] = {
      0.3535309956188373,     -0.17657623587307553,    0.13167512178028573,   -0.10771028937966257,
      0.09020883404779437,    -0.07473053609363314,    0.05988893546080854,   -0.045744001765554106,
      0.03304758570398322,    -0.02256359757568593,    0.014397568488679666,  -0.00838207440017807,
      0.004746828869444829,   -0.0029118387016220507,  0.0014380188079344434, -0.000324302759895192,
      0.00015834073784439353, -0.00024670878105293576, 0.00009735207896815646};
  const Value wide = Clamp(c, c.ToDouble(x), -4, 4);
  const Value u = c.FSub(c.FMul(c.FMul(wide, wide), c.Real(0.125, wide)), c.Real(1, wide));
  return c.ToFloat(c.FMul(wide, Polynomial(c, u, kRatio)));
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

Value Floor(Code& c, Value x) {
  if (c.traits().rounds) return c.Intrinsic("llvm.floor", {x});
  const Value near = RoundEvenBySum(c, x);
  const Value below = c.FSub(near, c.Float(1, x));
  return c.Choose(c.Compare(FCmp::kLt, x, near), below, near);
}

}  // namespace vta::compiler::llvm
