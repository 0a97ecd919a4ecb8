// The operators that the importer knows: one table, a row an operator of a domain.
#pragma once

#include <string_view>

#include "compiler/frontend/indexing.h"
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

// operators/conv.cc
void ConvertConv(OnnxNode& node);
void ConvertConvTranspose(OnnxNode& node);
// operators/pool.cc
void ConvertMaxPool(OnnxNode& node);
void ConvertLpPool(OnnxNode& node);
void ConvertGlobalLpPool(OnnxNode& node);
void ConvertAveragePool(OnnxNode& node);
// operators/math.cc
void ConvertGemm(OnnxNode& node);
void ConvertCast(OnnxNode& node);
// operators/elementwise.cc
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
// operators/trigonometry.cc
void ConvertTan(OnnxNode& node);
void ConvertAsin(OnnxNode& node);
void ConvertAcos(OnnxNode& node);
void ConvertAtan(OnnxNode& node);
void ConvertSinh(OnnxNode& node);
void ConvertCosh(OnnxNode& node);
void ConvertAsinh(OnnxNode& node);
void ConvertAcosh(OnnxNode& node);
void ConvertAtanh(OnnxNode& node);
// operators/einsum.cc
void ConvertEinsum(OnnxNode& node);
// operators/attention.cc
void ConvertAttention(OnnxNode& node);
void ConvertMultiHeadAttention(OnnxNode& node);
void ConvertRotaryEmbedding(OnnxNode& node);
// operators/scatter.cc
void ConvertScatterND(OnnxNode& node);
void ConvertScatterElements(OnnxNode& node);
// operators/recurrent.cc
void ConvertRNN(OnnxNode& node);
void ConvertGRU(OnnxNode& node);
void ConvertLSTM(OnnxNode& node);
void ConvertDynamicQuantizeLSTM(OnnxNode& node);
// operators/control.cc
void ConvertIf(OnnxNode& node);
void ConvertLoop(OnnxNode& node);
void ConvertScan(OnnxNode& node);
// operators/counted.cc
void ConvertNonMaxSuppression(OnnxNode& node);
void ConvertNonZero(OnnxNode& node);
// operators/grid_sample.cc
void ConvertGridSample(OnnxNode& node);
// operators/reduce.cc
void ConvertReduceMean(OnnxNode& node);
void ConvertReduceMax(OnnxNode& node);
void ConvertReduceMin(OnnxNode& node);
void ConvertReduceSum(OnnxNode& node);
void ConvertReduceProd(OnnxNode& node);
void ConvertCumSum(OnnxNode& node);
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
// operators/norms.cc
void ConvertBatchNormalization(OnnxNode& node);
void ConvertInstanceNormalization(OnnxNode& node);
void ConvertGroupNormalization(OnnxNode& node);
void ConvertLayerNormalization(OnnxNode& node);
void ConvertRMSNormalization(OnnxNode& node);
void ConvertSkipLayerNormalization(OnnxNode& node);
void ConvertSkipSimplifiedLayerNormalization(OnnxNode& node);
void ConvertLpNormalization(OnnxNode& node);
void ConvertMeanVarianceNormalization(OnnxNode& node);
void ConvertLRN(OnnxNode& node);
// operators/resize.cc
void ConvertResize(OnnxNode& node);
void ConvertUpsample(OnnxNode& node);
// operators/shape.cc
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
// operators/select.cc
void ConvertSlice(OnnxNode& node);
void ConvertSplit(OnnxNode& node);
void ConvertExpand(OnnxNode& node);
void ConvertTile(OnnxNode& node);
void ConvertTrilu(OnnxNode& node);
// operators/gather.cc
void ConvertGather(OnnxNode& node);
void ConvertGatherElements(OnnxNode& node);
void ConvertGatherND(OnnxNode& node);
void ConvertOneHot(OnnxNode& node);
// operators/known.cc
void ConvertShape(OnnxNode& node);
void ConvertSize(OnnxNode& node);
void ConvertConstantOfShape(OnnxNode& node);
void ConvertRange(OnnxNode& node);
void ConvertEyeLike(OnnxNode& node);
void ConvertUnique(OnnxNode& node);
// operators/quantized.cc
void ConvertQuantizeLinear(OnnxNode& node);
void ConvertDequantizeLinear(OnnxNode& node);
void ConvertQLinearConv(OnnxNode& node);
void ConvertQLinearMatMul(OnnxNode& node);
// operators/qonnx.cc
void ConvertQuant(OnnxNode& node);
void ConvertBipolarQuant(OnnxNode& node);
void ConvertTrunc(OnnxNode& node);
void ConvertFloatQuant(OnnxNode& node);
// operators/integers.cc
void ConvertDynamicQuantizeLinear(OnnxNode& node);
void ConvertMatMulInteger(OnnxNode& node);
void ConvertConvInteger(OnnxNode& node);
void ConvertDynamicQuantizeMatMul(OnnxNode& node);
void ConvertMatMulIntegerToFloat(OnnxNode& node);
// blocks.cc
void ConvertMatMulNBits(OnnxNode& node);
// operators/contrib.cc
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

/// An input that is a shape, known at compile time, without a 0.
Shape ReadShape(OnnxNode& node, int64_t input, const char* what);

}  // namespace vta::compiler
