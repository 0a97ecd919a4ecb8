// The shape rules and evaluators that the op table lists, a family a file.
// Errors: every Infer... throws Error naming the node when the inputs or attributes break its rule;
// every Eval... may assume that the rule holds.
#pragma once

#include "compiler/graph/ops.h"

namespace vta::compiler::ops {

// window.cc
struct Window {
  int64_t kernel[2], stride[2], dilation[2], pad_begin[2], pad_end[2];
};
/// Reads strides, pads (top, left, bottom, right) and, where the op has them, dilations.
Window ReadWindow(const OpView& view, const std::vector<int64_t>& kernel);
/// The output's height or width (axis 0 or 1) over an input of that size.
int64_t WindowOutput(const OpView& view, const Window& window, int axis, int64_t input);

// conv.cc
TensorType InferConv2d(const OpView& view);
Tensor EvalConv2d(const EvalView& view);
// linear.cc
TensorType InferGemm(const OpView& view);
Tensor EvalGemm(const EvalView& view);
TensorType InferMatMul(const OpView& view);
Tensor EvalMatMul(const EvalView& view);
// arithmetic.cc
TensorType InferBinary(const OpView& view);
TensorType InferPow(const OpView& view);
TensorType InferMod(const OpView& view);
TensorType InferLess(const OpView& view);
TensorType InferEqual(const OpView& view);
TensorType InferLogic(const OpView& view);
TensorType InferWhere(const OpView& view);
Tensor EvalAdd(const EvalView& view);
Tensor EvalSub(const EvalView& view);
Tensor EvalMul(const EvalView& view);
Tensor EvalDiv(const EvalView& view);
Tensor EvalMod(const EvalView& view);
Tensor EvalMin(const EvalView& view);
Tensor EvalMax(const EvalView& view);
Tensor EvalPow(const EvalView& view);
Tensor EvalEqual(const EvalView& view);
Tensor EvalLess(const EvalView& view);
Tensor EvalLessEqual(const EvalView& view);
Tensor EvalAnd(const EvalView& view);
Tensor EvalOr(const EvalView& view);
Tensor EvalWhere(const EvalView& view);
// unary.cc
TensorType InferSame(const OpView& view);
TensorType InferNumber(const OpView& view);
TensorType InferFloat(const OpView& view);
TensorType InferNot(const OpView& view);
Tensor EvalRelu(const EvalView& view);
Tensor EvalClip(const EvalView& view);
Tensor EvalAbs(const EvalView& view);
Tensor EvalSign(const EvalView& view);
Tensor EvalNot(const EvalView& view);
Tensor EvalFloor(const EvalView& view);
Tensor EvalRound(const EvalView& view);
Tensor EvalExp(const EvalView& view);
Tensor EvalLog(const EvalView& view);
Tensor EvalSqrt(const EvalView& view);
Tensor EvalTanh(const EvalView& view);
Tensor EvalErf(const EvalView& view);
Tensor EvalGelu(const EvalView& view);
Tensor EvalSigmoid(const EvalView& view);
Tensor EvalSin(const EvalView& view);
Tensor EvalCos(const EvalView& view);
TensorType InferCast(const OpView& view);
Tensor EvalCast(const EvalView& view);
// broadcast.cc
/// The common shape of two operands under the numpy rule.
Shape BroadcastShape(const OpView& view, const Shape& a, const Shape& b);
/// For each element of `out`, in order, the element of an operand of shape `in` that it reads.
std::vector<int64_t> BroadcastIndices(const Shape& in, const Shape& out);
// pool.cc
TensorType InferMaxPool(const OpView& view);
Tensor EvalMaxPool(const EvalView& view);
TensorType InferAvgPool(const OpView& view);
Tensor EvalAvgPool(const EvalView& view);
// reduce.cc
TensorType InferReduce(const OpView& view);
TensorType InferReduceMean(const OpView& view);
Tensor EvalReduceMean(const EvalView& view);
Tensor EvalReduceSum(const EvalView& view);
Tensor EvalReduceMax(const EvalView& view);
Tensor EvalReduceMin(const EvalView& view);
TensorType InferArgMax(const OpView& view);
Tensor EvalArgMax(const EvalView& view);
TensorType InferTopK(const OpView& view);
Tensor EvalTopK(const EvalView& view);
TensorType InferSoftmax(const OpView& view);
Tensor EvalSoftmax(const EvalView& view);
Tensor EvalNormalize(const EvalView& view);
// quantize.cc
TensorType InferQuantize(const OpView& view);
Tensor EvalQuantize(const EvalView& view);
TensorType InferDequantize(const OpView& view);
Tensor EvalDequantize(const EvalView& view);
// movement.cc
Tensor EvalIdentity(const EvalView& view);
TensorType InferReshape(const OpView& view);
Tensor EvalReshape(const EvalView& view);
TensorType InferTranspose(const OpView& view);
Tensor EvalTranspose(const EvalView& view);
TensorType InferConcat(const OpView& view);
Tensor EvalConcat(const EvalView& view);
TensorType InferPad(const OpView& view);
Tensor EvalPad(const EvalView& view);
// depth_to_space.cc
/// What the attributes of depth_to_space say, in an axis each.
struct SpaceBlocks {
  const std::vector<int64_t>&blocks, &crops;
  int64_t groups;

  /// The places of a block.
  int64_t phases() const;
  int64_t crop_begin(size_t axis) const { return crops[axis]; }
  int64_t crop_end(size_t axis) const { return crops[axis + blocks.size()]; }
};
SpaceBlocks ReadSpaceBlocks(const OpView& view);
TensorType InferDepthToSpace(const OpView& view);
Tensor EvalDepthToSpace(const EvalView& view);
// select.cc
TensorType InferSlice(const OpView& view);
Tensor EvalSlice(const EvalView& view);
TensorType InferGather(const OpView& view);
Tensor EvalGather(const EvalView& view);
TensorType InferExpand(const OpView& view);
Tensor EvalExpand(const EvalView& view);
// im2col.cc
TensorType InferIm2Col(const OpView& view);
Tensor EvalIm2Col(const EvalView& view);
// int8_conv.cc
TensorType InferConv2dI8(const OpView& view);
Tensor EvalConv2dI8(const EvalView& view);
TensorType InferDenseI8(const OpView& view);
Tensor EvalDenseI8(const EvalView& view);
// int8_matmul.cc
TensorType InferMatMulI8(const OpView& view);
Tensor EvalMatMulI8(const EvalView& view);
// int8_elementwise.cc
TensorType InferBinaryI8(const OpView& view);
Tensor EvalAddI8(const EvalView& view);
Tensor EvalMulI8(const EvalView& view);
TensorType InferAddLookupI8(const OpView& view);
Tensor EvalAddLookupI8(const EvalView& view);
TensorType InferRequantI8(const OpView& view);
Tensor EvalRequantI8(const EvalView& view);
TensorType InferPreluI8(const OpView& view);
Tensor EvalPreluI8(const EvalView& view);
TensorType InferLookupI8(const OpView& view);
Tensor EvalLookupI8(const EvalView& view);
TensorType InferFlipSign(const OpView& view);
Tensor EvalFlipSign(const EvalView& view);
// int8_pool.cc
TensorType InferMaxPoolI8(const OpView& view);
Tensor EvalMaxPoolI8(const EvalView& view);
TensorType InferUpsampleI8(const OpView& view);
Tensor EvalUpsampleI8(const EvalView& view);
TensorType InferAvgPoolI8(const OpView& view);
Tensor EvalAvgPoolI8(const EvalView& view);
// int8_resize.cc
TensorType InferResizeI8(const OpView& view);
Tensor EvalResizeI8(const EvalView& view);
// layout.cc
TensorType InferPack(const OpView& view);
Tensor EvalPack(const EvalView& view);
TensorType InferUnpack(const OpView& view);
Tensor EvalUnpack(const EvalView& view);

}  // namespace vta::compiler::ops
