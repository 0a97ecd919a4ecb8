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
// elementwise.cc
TensorType InferBinary(const OpView& view);
Tensor EvalAdd(const EvalView& view);
Tensor EvalMul(const EvalView& view);
TensorType InferSame(const OpView& view);
Tensor EvalRelu(const EvalView& view);
Tensor EvalClip(const EvalView& view);
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
TensorType InferReduceMean(const OpView& view);
Tensor EvalReduceMean(const EvalView& view);
TensorType InferSoftmax(const OpView& view);
Tensor EvalSoftmax(const EvalView& view);
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
// im2col.cc
TensorType InferIm2Col(const OpView& view);
Tensor EvalIm2Col(const EvalView& view);
// int8_conv.cc
TensorType InferConv2dI8(const OpView& view);
Tensor EvalConv2dI8(const EvalView& view);
TensorType InferDenseI8(const OpView& view);
Tensor EvalDenseI8(const EvalView& view);
// int8_elementwise.cc
TensorType InferBinaryI8(const OpView& view);
Tensor EvalAddI8(const EvalView& view);
Tensor EvalMulI8(const EvalView& view);
TensorType InferAddLookupI8(const OpView& view);
Tensor EvalAddLookupI8(const EvalView& view);
TensorType InferRequantI8(const OpView& view);
Tensor EvalRequantI8(const EvalView& view);
TensorType InferFlipSign(const OpView& view);
Tensor EvalFlipSign(const EvalView& view);
// int8_pool.cc
TensorType InferMaxPoolI8(const OpView& view);
Tensor EvalMaxPoolI8(const EvalView& view);
TensorType InferAvgPoolI8(const OpView& view);
Tensor EvalAvgPoolI8(const EvalView& view);
// layout.cc
TensorType InferPack(const OpView& view);
Tensor EvalPack(const EvalView& view);
TensorType InferUnpack(const OpView& view);
Tensor EvalUnpack(const EvalView& view);

}  // namespace vta::compiler::ops
