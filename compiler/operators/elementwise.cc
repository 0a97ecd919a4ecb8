// Element-wise ops on numbers of any type.
#include "compiler/operators/elementwise.h"

#include <initializer_list>

#include "compiler/horner.h"

namespace vta::compiler::operators {
namespace {

// A double attribute in a type's own values, saturating.
Expr Bound(loop::DType dtype, double value) {
  const loop::DTypeRow& row = loop::Row(dtype);
  if (!row.integer) return loop::FloatConst(value);
  if (value <= static_cast<double>(row.low)) return loop::LeastOf(dtype);
  if (value >= static_cast<double>(row.high)) return loop::GreatestOf(dtype);
  return loop::IntConst(dtype, static_cast<int64_t>(value));
}

Expr Zero(const Expr& like) { return loop::ConstOf(like.dtype(), 0); }

// An integer quotient rounded towards zero, where floordiv rounds down.
Expr Quotient(const Expr& a, const Expr& b) {
  const Expr down = FloorDiv(a, b), zero = Zero(a);
  const Expr apart = (a < zero && zero < b) || (zero < a && b < zero);
  const Expr one = loop::ConstOf(a.dtype(), 1);
  return Select(apart && Ne(FloorMod(a, b), zero), down + one, down);
}

Expr Polynomial(const Expr& z, std::initializer_list<double> c) {
  const auto more = [&](const Expr& sum, double next) { return sum * z + loop::FloatConst(next); };
  return Horner(c, loop::FloatConst, more);
}

// sin(x + quarter * pi / 2), within three units in the last place up to |x| = 2^13, beyond which
// digits are lost: what is left of x less a multiple of pi / 2, in four parts of which the
// products of the first three with small integers are exact.
Expr Sine(const Expr& x, int quarter) {
  constexpr double kTwoByPi = 0.63661977236758134;
  constexpr double kFar = 0.8;  // past pi / 4, as the multiple is found in float32
  const auto number = loop::FloatConst;
  const Expr turns = loop::Apply(loop::Op::kRoundEven, {x * number(kTwoByPi)});
  Expr rest = x;
  for (const double part :
       {1.5703125, 4.837512969970703125e-4, 7.549533620476722717e-8, 2.5633440682570896e-12})
    rest = rest - turns * number(part);
  rest = Min(Max(rest, number(-kFar)), number(kFar));  // of what has no digits left
  const Expr square = rest * rest;
  const Expr sine =
      rest * Polynomial(square, {1, -1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4});
  const Expr cosine = Polynomial(
      square, {1, -0.5, 4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5});
  const Expr whole = turns + number(quarter);
  const Expr half = loop::Apply(loop::Op::kFloor, {whole * number(0.5)});
  const Expr odd = Eq(whole - half * number(2), number(1));
  const Expr fourth = loop::Apply(loop::Op::kFloor, {whole * number(0.25)});
  const Expr value = Select(odd, cosine, sine);
  return Select(number(2) <= whole - fourth * number(4), -value, value);
}

te::Tensor Apply(const Lowering& l, loop::Op op) {
  return Elementwise(l, [&](Index i) { return loop::Apply(op, {l.x().At(i)}); });
}

}  // namespace

te::Tensor LowerAdd(const Lowering& l) {
  return Pairwise(l, [](const Expr& a, const Expr& b) { return a + b; });
}
te::Tensor LowerSub(const Lowering& l) {
  return Pairwise(l, [](const Expr& a, const Expr& b) { return a - b; });
}
te::Tensor LowerMul(const Lowering& l) {
  return Pairwise(l, [](const Expr& a, const Expr& b) { return a * b; });
}
te::Tensor LowerDiv(const Lowering& l) {
  const bool real = l.x().dtype() == loop::DType::kFloat32;
  return Pairwise(l, [&](const Expr& a, const Expr& b) { return real ? a / b : Quotient(a, b); });
}
te::Tensor LowerMod(const Lowering& l) {
  return Pairwise(l, [](const Expr& a, const Expr& b) { return FloorMod(a, b); });
}
te::Tensor LowerMin(const Lowering& l) {
  return Pairwise(l, [](const Expr& a, const Expr& b) { return Min(a, b); });
}
te::Tensor LowerMax(const Lowering& l) {
  return Pairwise(l, [](const Expr& a, const Expr& b) { return Max(a, b); });
}
te::Tensor LowerPow(const Lowering& l) {
  return Pairwise(l, [](const Expr& a, const Expr& b) {
    return loop::Apply(loop::Op::kPow, {a, b});
  });
}
te::Tensor LowerEqual(const Lowering& l) {
  return Pairwise(l, [](const Expr& a, const Expr& b) { return Eq(a, b); });
}
te::Tensor LowerLess(const Lowering& l) {
  return Pairwise(l, [](const Expr& a, const Expr& b) { return a < b; });
}
te::Tensor LowerLessEqual(const Lowering& l) {
  return Pairwise(l, [](const Expr& a, const Expr& b) { return a <= b; });
}
te::Tensor LowerAnd(const Lowering& l) {
  return Pairwise(l, [](const Expr& a, const Expr& b) { return a && b; });
}
te::Tensor LowerOr(const Lowering& l) {
  return Pairwise(l, [](const Expr& a, const Expr& b) { return a || b; });
}
te::Tensor LowerNot(const Lowering& l) { return Apply(l, loop::Op::kNot); }

te::Tensor LowerWhere(const Lowering& l) {
  return Elementwise(l, [&](Index i) {
    return Select(Broadcast(l.x(0), i), Broadcast(l.x(1), i), Broadcast(l.x(2), i));
  });
}

te::Tensor LowerRelu(const Lowering& l) {
  return Elementwise(l, [&](Index i) { return Max(l.x().At(i), loop::ConstOf(l.x().dtype(), 0)); });
}

te::Tensor LowerClip(const Lowering& l) {
  const loop::DType dtype = l.x().dtype();
  const Expr low = Bound(dtype, l.node.attributes.Double("low"));
  const Expr high = Bound(dtype, l.node.attributes.Double("high"));
  return Elementwise(l, [&](Index i) { return Min(Max(l.x().At(i), low), high); });
}

te::Tensor LowerCast(const Lowering& l) {
  const loop::DType to = LoopType(l, l.output.dtype), from = l.x().dtype();
  return Elementwise(l, [&](Index i) {
    const Expr x = l.x().At(i);
    if (to == from) return x;
    return to == loop::DType::kBool ? Ne(x, loop::ConstOf(from, 0)) : Cast(to, x);
  });
}

te::Tensor LowerAbs(const Lowering& l) { return Apply(l, loop::Op::kAbs); }
te::Tensor LowerFloor(const Lowering& l) { return Apply(l, loop::Op::kFloor); }
te::Tensor LowerRound(const Lowering& l) { return Apply(l, loop::Op::kRoundEven); }
te::Tensor LowerExp(const Lowering& l) { return Apply(l, loop::Op::kExp); }
te::Tensor LowerLog(const Lowering& l) { return Apply(l, loop::Op::kLog); }
te::Tensor LowerSqrt(const Lowering& l) { return Apply(l, loop::Op::kSqrt); }
te::Tensor LowerTanh(const Lowering& l) { return Apply(l, loop::Op::kTanh); }
te::Tensor LowerErf(const Lowering& l) { return Apply(l, loop::Op::kErf); }
te::Tensor LowerGelu(const Lowering& l) { return Apply(l, loop::Op::kGelu); }

te::Tensor LowerSign(const Lowering& l) {
  return Elementwise(l, [&](Index i) {  // NaN is neither, and stays
    const Expr x = l.x().At(i), zero = Zero(x);
    return Select(x < zero, loop::ConstOf(x.dtype(), -1),
                  Select(zero < x, loop::ConstOf(x.dtype(), 1), x));
  });
}

te::Tensor LowerSin(const Lowering& l) {
  return Elementwise(l, [&](Index i) { return Sine(l.x().At(i), 0); });
}

te::Tensor LowerCos(const Lowering& l) {
  return Elementwise(l, [&](Index i) { return Sine(l.x().At(i), 1); });
}

te::Tensor LowerSigmoid(const Lowering& l) {
  const Expr one = loop::FloatConst(1);
  return Elementwise(
      l, [&](Index i) { return one / (one + loop::Apply(loop::Op::kExp, {-l.x().At(i)})); });
}

}  // namespace vta::compiler::operators
