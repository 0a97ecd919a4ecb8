// Between values and codes, and element-wise ops on codes.
#include "compiler/graph/ops/int8_common.h"
#include "compiler/operators/elementwise.h"

namespace vta::compiler::operators {
namespace {

Expr Wide(const Expr& e) { return Cast(loop::DType::kInt32, e); }
Expr WideConst(int64_t v) { return loop::IntConst(loop::DType::kInt32, v); }

// The scale or zero point of an element: one for all, or one for each index of an axis.
Expr PerAxis(const Lowering& l, int64_t input, Index i) {
  return l.shape(input).empty() ? l.x(input)(0) : l.x(input)(i[l.Int("axis")]);
}

}  // namespace

te::Tensor LowerQuantize(const Lowering& l) {
  const loop::DType code = LoopType(l, l.output.dtype), real = loop::DType::kFloat32;
  return Elementwise(l, [&](Index i) {
    // The conversion to a code saturates; a NaN, which it would make 0, becomes the zero point.
    const Expr zero = PerAxis(l, 2, i);
    const Expr scaled = loop::Apply(loop::Op::kRoundEven, {l.x().At(i) / PerAxis(l, 1, i)});
    return Select(Eq(scaled, scaled), Cast(code, scaled + Cast(real, zero)), zero);
  });
}

te::Tensor LowerDequantize(const Lowering& l) {
  return Elementwise(l, [&](Index i) {
    // The difference of two int32 codes needs 33 bits.
    const Expr difference =
        Cast(loop::DType::kInt64, l.x().At(i)) - Cast(loop::DType::kInt64, PerAxis(l, 2, i));
    return Cast(loop::DType::kFloat32, difference) * PerAxis(l, 1, i);
  });
}

te::Tensor LowerAddI8(const Lowering& l) {
  const isa::RequantLane lane = ops::ReadRequant(l);
  const Expr ma = WideConst(l.Int("multiplier_a")), mb = WideConst(l.Int("multiplier_b"));
  return Pairwise(l, [&](const Expr& a, const Expr& b) {
    return Requant(l.rounding, ma * Wide(a) + mb * Wide(b), lane);
  });
}

te::Tensor LowerAddLookupI8(const Lowering& l) {
  const isa::RequantLane lane = ops::ReadRequant(l);
  return Elementwise(l, [&](Index i) {
    auto added = [&](int64_t operand) {
      const Expr code = Cast(loop::DType::kInt64, Broadcast(l.x(operand), i));
      return l.x(2 + operand)(code + 128);
    };
    return Requant(l.rounding, added(0) + added(1), lane);
  });
}

te::Tensor LowerMulI8(const Lowering& l) {
  const isa::RequantLane lane = ops::ReadRequant(l);
  const Expr za = WideConst(l.Int("zero_a")), zb = WideConst(l.Int("zero_b"));
  return Pairwise(l, [&](const Expr& a, const Expr& b) {
    return Requant(l.rounding, (Wide(a) - za) * (Wide(b) - zb), lane);
  });
}

te::Tensor LowerRequantI8(const Lowering& l) {
  const isa::RequantLane lane = ops::ReadRequant(l);
  return Elementwise(l, [&](Index i) { return Requant(l.rounding, Wide(l.x().At(i)), lane); });
}

te::Tensor LowerLookupI8(const Lowering& l) {
  return Elementwise(l,
                     [&](Index i) { return l.x(1)(Cast(loop::DType::kInt64, l.x().At(i)) + 128); });
}

te::Tensor LowerPreluI8(const Lowering& l) {
  const isa::RequantLane lane = ops::ReadRequant(l);
  return Elementwise(l, [&](Index i) {
    const Expr code = Wide(l.x().At(i));
    const auto bent = [&](int64_t below, int32_t above) {
      return Select(code < WideConst(-lane.bias), Broadcast(l.x(below), i), WideConst(above));
    };
    return Requant(l.rounding, code, lane, bent(1, lane.multiplier), bent(2, lane.exponent));
  });
}

te::Tensor LowerFlipSign(const Lowering& l) {
  const loop::DType to = LoopType(l, l.output.dtype);
  return Elementwise(l, [&](Index i) { return Cast(to, Wide(l.x().At(i)) + WideConst(128)); });
}

}  // namespace vta::compiler::operators
