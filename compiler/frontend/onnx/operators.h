// The operators that the importer knows: one table, a row an operator of a domain.
#pragma once

#include <string_view>

#include "compiler/frontend/onnx/node.h"

namespace vta::compiler {

struct OnnxOperator {
  std::string_view domain, type;
  int64_t since;  // the least opset of the domain
  int min_inputs, max_inputs, outputs;
  OnnxConverter convert;
};

/// The row, or nullptr.
const OnnxOperator* FindOnnxOperator(std::string_view domain, std::string_view type);

// onnx_conv.cc
void ConvertConv(OnnxNode& node);
void ConvertConvTranspose(OnnxNode& node);
// onnx_pool.cc
void ConvertMaxPool(OnnxNode& node);
void ConvertAveragePool(OnnxNode& node);
// onnx_math.cc
void ConvertGemm(OnnxNode& node);
void ConvertCast(OnnxNode& node);
// onnx_elementwise.cc
void ConvertClip(OnnxNode& node);
void ConvertMean(OnnxNode& node);
void ConvertNeg(OnnxNode& node);
void ConvertReciprocal(OnnxNode& node);
void ConvertCeil(OnnxNode& node);
void ConvertGreater(OnnxNode& node);
void ConvertGreaterOrEqual(OnnxNode& node);
void ConvertXor(OnnxNode& node);
void ConvertIsNaN(OnnxNode& node);
void ConvertIsInf(OnnxNode& node);
void ConvertMod(OnnxNode& node);
void ConvertPow(OnnxNode& node);
void ConvertCastLike(OnnxNode& node);
void ConvertHardSigmoid(OnnxNode& node);
void ConvertHardSwish(OnnxNode& node);
void ConvertLeakyRelu(OnnxNode& node);
void ConvertPRelu(OnnxNode& node);
void ConvertElu(OnnxNode& node);
void ConvertSelu(OnnxNode& node);
void ConvertCelu(OnnxNode& node);
void ConvertSoftplus(OnnxNode& node);
void ConvertMish(OnnxNode& node);
void ConvertSoftsign(OnnxNode& node);
void ConvertSwish(OnnxNode& node);
void ConvertGelu(OnnxNode& node);
void ConvertThresholdedRelu(OnnxNode& node);
void ConvertShrink(OnnxNode& node);
// onnx_reduce.cc
void ConvertReduceMean(OnnxNode& node);
void ConvertReduceMax(OnnxNode& node);
void ConvertReduceMin(OnnxNode& node);
void ConvertReduceSum(OnnxNode& node);
void ConvertReduceL1(OnnxNode& node);
void ConvertReduceSumSquare(OnnxNode& node);
void ConvertReduceL2(OnnxNode& node);
void ConvertReduceLogSum(OnnxNode& node);
void ConvertReduceLogSumExp(OnnxNode& node);
void ConvertSoftmax(OnnxNode& node);
void ConvertLogSoftmax(OnnxNode& node);
void ConvertHardmax(OnnxNode& node);
void ConvertArgMax(OnnxNode& node);
void ConvertArgMin(OnnxNode& node);
void ConvertTopK(OnnxNode& node);
void ConvertGlobalAveragePool(OnnxNode& node);
void ConvertGlobalMaxPool(OnnxNode& node);
// onnx_norms.cc
void ConvertBatchNormalization(OnnxNode& node);
void ConvertInstanceNormalization(OnnxNode& node);
void ConvertGroupNormalization(OnnxNode& node);
void ConvertLayerNormalization(OnnxNode& node);
void ConvertMeanVarianceNormalization(OnnxNode& node);
void ConvertLRN(OnnxNode& node);
// onnx_resize.cc
void ConvertResize(OnnxNode& node);
void ConvertUpsample(OnnxNode& node);
// onnx_shape.cc
void ConvertDropout(OnnxNode& node);
void ConvertConstant(OnnxNode& node);
void ConvertFlatten(OnnxNode& node);
void ConvertReshape(OnnxNode& node);
void ConvertSqueeze(OnnxNode& node);
void ConvertUnsqueeze(OnnxNode& node);
void ConvertTranspose(OnnxNode& node);
void ConvertConcat(OnnxNode& node);
void ConvertPad(OnnxNode& node);
void ConvertDepthToSpace(OnnxNode& node);
void ConvertSpaceToDepth(OnnxNode& node);
// onnx_select.cc
void ConvertSlice(OnnxNode& node);
void ConvertSplit(OnnxNode& node);
void ConvertExpand(OnnxNode& node);
void ConvertTile(OnnxNode& node);
void ConvertTrilu(OnnxNode& node);
// onnx_gather.cc
void ConvertGather(OnnxNode& node);
void ConvertGatherElements(OnnxNode& node);
void ConvertGatherND(OnnxNode& node);
void ConvertOneHot(OnnxNode& node);
// onnx_known.cc
void ConvertShape(OnnxNode& node);
void ConvertSize(OnnxNode& node);
void ConvertConstantOfShape(OnnxNode& node);
void ConvertRange(OnnxNode& node);
void ConvertEyeLike(OnnxNode& node);
// onnx_quantized.cc
void ConvertQuantizeLinear(OnnxNode& node);
void ConvertDequantizeLinear(OnnxNode& node);
void ConvertQLinearConv(OnnxNode& node);
void ConvertQLinearMatMul(OnnxNode& node);
// onnx_contrib.cc
void ConvertQGemm(OnnxNode& node);
void ConvertQLinearAdd(OnnxNode& node);
void ConvertQLinearAveragePool(OnnxNode& node);
void ConvertQLinearConcat(OnnxNode& node);
void ConvertQLinearGlobalAveragePool(OnnxNode& node);
void ConvertQLinearLeakyRelu(OnnxNode& node);
void ConvertQLinearMul(OnnxNode& node);
void ConvertQLinearReduceMean(OnnxNode& node);
void ConvertQLinearSigmoid(OnnxNode& node);
void ConvertQLinearSoftmax(OnnxNode& node);
void ConvertQLinearWhere(OnnxNode& node);

/// What gathering operators share: the elements of x at those places along the axis that `indices`
/// names for each element of its own shape.
ValueId GatherAlong(OnnxNode& node, ValueId x, ValueId indices, int64_t axis);
/// What slicing ones share: `count` elements of x from `first` on along an axis.
ValueId Slice(OnnxNode& node, ValueId x, int64_t axis, int64_t first, int64_t count);
/// An input that is a shape, known at compile time, without a 0.
Shape ReadShape(OnnxNode& node, int64_t input, const char* what);

}  // namespace vta::compiler
