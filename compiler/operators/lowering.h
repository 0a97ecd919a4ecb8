// What the op families share: the node seen as tensors, and index helpers.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph/ops.h"
#include "compiler/graph/ops/families.h"
#include "compiler/te/te.h"

namespace vta::compiler::operators {

using te::Expr;

struct Lowering : OpView {
  TensorType output;
  isa::Rounding rounding;
  std::vector<te::Tensor> tensors;  // the inputs

  const te::Tensor& x(int64_t input = 0) const { return tensors[input]; }
  std::vector<te::Axis> OutputAxes() const;
};

/// The loop IR's type, if it has one.
std::optional<loop::DType> FindLoopType(DType dtype);
/// The same; throws Error naming the node where it has none.
loop::DType LoopType(const OpView& view, DType dtype);
/// A tensor's shape with [] as [1].
Shape LoopShape(const Shape& shape);
/// The element that an output index reads of an operand under the numpy broadcast rule.
Expr Broadcast(const te::Tensor& operand, const std::vector<Expr>& index);
/// requant of an accumulator with one lane's parameters for all.
Expr Requant(isa::Rounding rounding, const Expr& accumulator, const isa::RequantLane& lane);
/// The same with another multiplier and exponent.
Expr Requant(isa::Rounding rounding, const Expr& accumulator, isa::RequantLane lane,
             const Expr& multiplier, const Expr& exponent);
/// requant of an accumulator of output channel `c`, whose parameters are the node's inputs 2
/// (bias), 3 (multiplier) and 4 (exponent).
Expr RequantChannel(const Lowering& l, const Expr& accumulator, const Expr& c);
/// The same with one multiplier and exponent, which attributes give.
Expr RequantBiased(const Lowering& l, const Expr& accumulator, const Expr& bias);
/// As RequantChannel, where scaled accumulators fit into 32 bits, as does the zero point beside
/// them.
Expr RequantNarrow(const Lowering& l, const Expr& accumulator, const Expr& c);

/// The code of avg_pool_i8 for a window's sum at (oy, ox).
Expr AverageCode(const Lowering& l, const Expr& sum, const Expr& oy, const Expr& ox);

/// How many elements an average pool averages at output (oy, ox).
Expr CountOfWindow(const Lowering& l, const Expr& oy, const Expr& ox);

/// Each makes the output tensor, named "y".
using LowerOp = te::Tensor (*)(const Lowering&);

// elementwise.cc
te::Tensor LowerAdd(const Lowering& l);
te::Tensor LowerSub(const Lowering& l);
te::Tensor LowerMul(const Lowering& l);
te::Tensor LowerDiv(const Lowering& l);
te::Tensor LowerMod(const Lowering& l);
te::Tensor LowerMin(const Lowering& l);
te::Tensor LowerMax(const Lowering& l);
te::Tensor LowerPow(const Lowering& l);
te::Tensor LowerEqual(const Lowering& l);
te::Tensor LowerLess(const Lowering& l);
te::Tensor LowerLessEqual(const Lowering& l);
te::Tensor LowerAnd(const Lowering& l);
te::Tensor LowerOr(const Lowering& l);
te::Tensor LowerNot(const Lowering& l);
te::Tensor LowerWhere(const Lowering& l);
te::Tensor LowerRelu(const Lowering& l);
te::Tensor LowerClip(const Lowering& l);
te::Tensor LowerAbs(const Lowering& l);
te::Tensor LowerSign(const Lowering& l);
te::Tensor LowerFloor(const Lowering& l);
te::Tensor LowerRound(const Lowering& l);
te::Tensor LowerExp(const Lowering& l);
te::Tensor LowerLog(const Lowering& l);
te::Tensor LowerSqrt(const Lowering& l);
te::Tensor LowerTanh(const Lowering& l);
te::Tensor LowerErf(const Lowering& l);
te::Tensor LowerGelu(const Lowering& l);
te::Tensor LowerSigmoid(const Lowering& l);
te::Tensor LowerSin(const Lowering& l);
te::Tensor LowerCos(const Lowering& l);
te::Tensor LowerCast(const Lowering& l);
// codes.cc
te::Tensor LowerQuantize(const Lowering& l);
te::Tensor LowerDequantize(const Lowering& l);
te::Tensor LowerAddI8(const Lowering& l);
te::Tensor LowerAddLookupI8(const Lowering& l);
te::Tensor LowerMulI8(const Lowering& l);
te::Tensor LowerRequantI8(const Lowering& l);
te::Tensor LowerLookupI8(const Lowering& l);
te::Tensor LowerPreluI8(const Lowering& l);
te::Tensor LowerFlipSign(const Lowering& l);
// movement.cc
te::Tensor LowerIdentity(const Lowering& l);
te::Tensor LowerCopy(const Lowering& l);  // reshape: flat
te::Tensor LowerTranspose(const Lowering& l);
te::Tensor LowerConcat(const Lowering& l);
te::Tensor LowerPad(const Lowering& l);
te::Tensor LowerDepthToSpace(const Lowering& l);
te::Tensor LowerPack(const Lowering& l);
te::Tensor LowerUnpack(const Lowering& l);
// window.cc
te::Tensor LowerConv2d(const Lowering& l);
te::Tensor LowerIm2Col(const Lowering& l);
te::Tensor LowerConv2dI8(const Lowering& l);
te::Tensor LowerMaxPool(const Lowering& l);
te::Tensor LowerAvgPool(const Lowering& l);
te::Tensor LowerMaxPoolI8(const Lowering& l);
te::Tensor LowerUpsampleI8(const Lowering& l);
te::Tensor LowerAvgPoolI8(const Lowering& l);
// resize.cc
te::Tensor LowerResizeI8(const Lowering& l);
// linear.cc
te::Tensor LowerGemm(const Lowering& l);
te::Tensor LowerMatMul(const Lowering& l);
te::Tensor LowerDenseI8(const Lowering& l);
te::Tensor LowerMatMulI8(const Lowering& l);
// reduce.cc
te::Tensor LowerReduceMean(const Lowering& l);
te::Tensor LowerReduceSum(const Lowering& l);
te::Tensor LowerReduceMax(const Lowering& l);
te::Tensor LowerReduceMin(const Lowering& l);
te::Tensor LowerArgMax(const Lowering& l);
te::Tensor LowerTopK(const Lowering& l);
te::Tensor LowerSoftmax(const Lowering& l);
te::Tensor LowerNormalize(const Lowering& l);
// select.cc
te::Tensor LowerSlice(const Lowering& l);
te::Tensor LowerGather(const Lowering& l);
te::Tensor LowerExpand(const Lowering& l);

}  // namespace vta::compiler::operators
