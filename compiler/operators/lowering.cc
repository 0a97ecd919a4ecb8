#include "compiler/operators/lowering.h"

#include "compiler/graph/ops/int8_common.h"

namespace vta::compiler::operators {

std::vector<te::Axis> Lowering::OutputAxes() const {
  std::vector<te::Axis> axes;
  for (int64_t extent : LoopShape(output.shape)) axes.emplace_back(extent);
  return axes;
}

std::optional<loop::DType> FindLoopType(DType dtype) {
  for (const loop::DTypeRow& row : loop::DTypes())
    if (row.name == Name(dtype)) return row.dtype;
  return std::nullopt;
}

loop::DType LoopType(const OpView& view, DType dtype) {
  if (const std::optional<loop::DType> found = FindLoopType(dtype)) return *found;
  throw view.Fail("element type", std::string(Name(dtype)), "no target has arithmetic for it");
}

Shape LoopShape(const Shape& shape) { return shape.empty() ? Shape{1} : shape; }

Expr Broadcast(const te::Tensor& operand, const std::vector<Expr>& index) {
  const std::vector<int64_t>& shape = operand.shape();
  std::vector<Expr> at;
  for (size_t d = 0; d < shape.size(); ++d)
    at.push_back(shape[d] == 1 ? Expr(0) : index[index.size() - shape.size() + d]);
  return operand.At(at);
}

namespace {

Expr Int32(int32_t value) { return loop::IntConst(loop::DType::kInt32, value); }

Expr RequantWith(isa::Rounding rounding, const Expr& accumulator, const Expr& bias,
                 const Expr& multiplier, const Expr& packed) {
  const loop::Op op =
      rounding == isa::Rounding::kSingle ? loop::Op::kRequantSingle : loop::Op::kRequantDouble;
  return Cast(loop::DType::kInt8, loop::Apply(op, {accumulator, bias, multiplier, packed}));
}

}  // namespace

Expr Requant(isa::Rounding rounding, const Expr& accumulator, const isa::RequantLane& lane) {
  return RequantWith(rounding, accumulator, Int32(lane.bias), Int32(lane.multiplier),
                     Int32(isa::PackRequant(lane)));
}

namespace {

/// The exponent is the low byte of the packed word, the rest is the lane's.
Expr Packed(isa::RequantLane lane, const Expr& exponent) {
  lane.exponent = 0;
  return Int32(isa::PackRequant(lane)) + FloorMod(exponent, Int32(256));
}

}  // namespace

Expr Requant(isa::Rounding rounding, const Expr& accumulator, isa::RequantLane lane,
             const Expr& multiplier, const Expr& exponent) {
  return RequantWith(rounding, accumulator, Int32(lane.bias), multiplier, Packed(lane, exponent));
}

Expr RequantChannel(const Lowering& l, const Expr& accumulator, const Expr& c) {
  return RequantWith(l.rounding, accumulator, l.x(2)(c), l.x(3)(c),
                     Packed(ops::ReadRequant(l), l.x(4)(c)));
}

Expr RequantBiased(const Lowering& l, const Expr& accumulator, const Expr& bias) {
  const isa::RequantLane lane = ops::ReadRequant(l);
  return RequantWith(l.rounding, accumulator, bias, Int32(lane.multiplier),
                     Int32(isa::PackRequant(lane)));
}

Expr RequantNarrow(const Lowering& l, const Expr& accumulator, const Expr& c) {
  const isa::RequantLane lane = ops::ReadRequant(l);
  const loop::Op op =
      l.rounding == isa::Rounding::kSingle ? loop::Op::kRescaleSingle : loop::Op::kRescaleDouble;
  const Expr scaled =
      Cast(loop::DType::kInt32, loop::Apply(op, {accumulator + l.x(2)(c), l.x(3)(c), l.x(4)(c)}));
  return Cast(loop::DType::kInt8,
              Min(Max(scaled + Int32(lane.zero_point), Int32(lane.low)), Int32(lane.high)));
}

namespace {

/// sum * factor / divisor, rounded once, ties to even.
Expr Quotient(const isa::RequantLane& lane, const Expr& sum, const Expr& factor,
              const Expr& divisor) {
  const auto real = [](const Expr& value) { return Cast(loop::DType::kFloat32, value); };
  const Expr quotient =
      loop::Apply(loop::Op::kRoundEven, {real(sum) * real(factor) / real(divisor)});
  const Expr code = Cast(loop::DType::kInt32, quotient) + Int32(lane.zero_point);
  return Cast(loop::DType::kInt8, Min(Max(code, Int32(lane.low)), Int32(lane.high)));
}

}  // namespace

Expr AverageCode(const Lowering& l, const Expr& sum, const Expr& oy, const Expr& ox) {
  const isa::RequantLane lane = ops::ReadRequant(l);
  const auto divisor = static_cast<int32_t>(l.Int("divisor"));
  if (!l.Has(1)) {
    if (divisor == 0) return Requant(l.rounding, sum, lane);
    return Quotient(lane, sum + Int32(lane.bias), Int32(static_cast<int32_t>(l.Int("factor"))),
                    Int32(divisor));
  }
  const Expr place = oy * l.output.shape[3] + ox;
  const Expr code =
      RequantWith(l.rounding, sum, l.x(1)(place), l.x(2)(place), Packed(lane, l.x(3)(place)));
  if (divisor == 0) return code;
  const Expr by = l.x(5)(place), whole = Max(by, Int32(1));
  return Select(Int32(0) < by, Quotient(lane, sum + l.x(1)(place), l.x(4)(place), whole), code);
}

}  // namespace vta::compiler::operators
