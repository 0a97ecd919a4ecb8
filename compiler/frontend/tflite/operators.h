// The operators that the importer knows: one table, a row an operator.
#pragma once

#include <string_view>

#include "compiler/frontend/tflite/node.h"

namespace vta::compiler {

struct TfliteOperator {
  int code;
  int min_inputs, max_inputs, max_outputs;
  TfliteConverter convert;
  std::string_view custom = "";  // the name of a custom operator
  bool moves = false;            // elements alone: of complex numbers each part in turn
};

/// The row, or nullptr. `custom` is the name of a custom operator, or empty.
const TfliteOperator* FindTfliteOperator(int code, std::string_view custom);

// layers.cc
void ConvertConv2d(TfliteNode& node);
void ConvertDepthwiseConv2d(TfliteNode& node);
void ConvertFullyConnected(TfliteNode& node);
void ConvertBatchMatMul(TfliteNode& node);
// transpose_conv.cc
void ConvertTransposeConv(TfliteNode& node);
void ConvertTransposeConvBias(TfliteNode& node);
// lstm.cc
void ConvertSequenceLstm(TfliteNode& node);
// complex.cc
void ConvertRfft2d(TfliteNode& node);
void ConvertRealPart(TfliteNode& node);
void ConvertImaginaryPart(TfliteNode& node);
void ConvertComplexAbs(TfliteNode& node);
// pool.cc
void ConvertAveragePool2d(TfliteNode& node);
void ConvertMaxPool2d(TfliteNode& node);
// elementwise.cc
void ConvertAdd(TfliteNode& node);
void ConvertSub(TfliteNode& node);
void ConvertMul(TfliteNode& node);
void ConvertDiv(TfliteNode& node);
void ConvertAddN(TfliteNode& node);
void ConvertNeg(TfliteNode& node);
void ConvertCeil(TfliteNode& node);
void ConvertRsqrt(TfliteNode& node);
void ConvertSquare(TfliteNode& node);
void ConvertSquaredDifference(TfliteNode& node);
void ConvertFloorDiv(TfliteNode& node);
void ConvertFloorMod(TfliteNode& node);
void ConvertGreater(TfliteNode& node);
void ConvertGreaterEqual(TfliteNode& node);
void ConvertNotEqual(TfliteNode& node);
void ConvertSelect(TfliteNode& node);
// activation.cc
void ConvertRelu6(TfliteNode& node);
void ConvertReluN1To1(TfliteNode& node);
void ConvertRelu0To1(TfliteNode& node);
void ConvertLeakyRelu(TfliteNode& node);
void ConvertPRelu(TfliteNode& node);
void ConvertElu(TfliteNode& node);
void ConvertHardSwish(TfliteNode& node);
void ConvertGelu(TfliteNode& node);
// reduce.cc
void ConvertMean(TfliteNode& node);
void ConvertSum(TfliteNode& node);
void ConvertReduceMax(TfliteNode& node);
void ConvertReduceMin(TfliteNode& node);
void ConvertSoftmax(TfliteNode& node);
void ConvertLogSoftmax(TfliteNode& node);
void ConvertLogistic(TfliteNode& node);
void ConvertTanh(TfliteNode& node);
void ConvertL2Normalization(TfliteNode& node);
void ConvertReduceProd(TfliteNode& node);
void ConvertReduceAny(TfliteNode& node);
void ConvertReduceAll(TfliteNode& node);
void ConvertCumsum(TfliteNode& node);
void ConvertTopK(TfliteNode& node);
void ConvertArgMax(TfliteNode& node);
void ConvertArgMin(TfliteNode& node);
// shape.cc
void ConvertReshape(TfliteNode& node);
void ConvertSqueeze(TfliteNode& node);
void ConvertExpandDims(TfliteNode& node);
void ConvertTranspose(TfliteNode& node);
void ConvertConcatenation(TfliteNode& node);
void ConvertPack(TfliteNode& node);
void ConvertTile(TfliteNode& node);
void ConvertBroadcastTo(TfliteNode& node);
void ConvertFill(TfliteNode& node);
void ConvertZerosLike(TfliteNode& node);
void ConvertRange(TfliteNode& node);
void ConvertShape(TfliteNode& node);
void ConvertRank(TfliteNode& node);
// blocks.cc
void ConvertDepthToSpace(TfliteNode& node);
void ConvertSpaceToDepth(TfliteNode& node);
void ConvertSpaceToBatchNd(TfliteNode& node);
void ConvertBatchToSpaceNd(TfliteNode& node);
// pad.cc
void ConvertPad(TfliteNode& node);
void ConvertPadV2(TfliteNode& node);
void ConvertMirrorPad(TfliteNode& node);
// select.cc
void ConvertSlice(TfliteNode& node);
void ConvertStridedSlice(TfliteNode& node);
void ConvertSplit(TfliteNode& node);
void ConvertSplitV(TfliteNode& node);
void ConvertUnpack(TfliteNode& node);
void ConvertReverseV2(TfliteNode& node);
void ConvertGather(TfliteNode& node);
void ConvertGatherNd(TfliteNode& node);
void ConvertOneHot(TfliteNode& node);
// resize.cc
void ConvertResizeNearestNeighbor(TfliteNode& node);
void ConvertResizeBilinear(TfliteNode& node);
// quantize.cc
void ConvertQuantize(TfliteNode& node);
void ConvertDequantize(TfliteNode& node);
void ConvertDensify(TfliteNode& node);
void ConvertCast(TfliteNode& node);

/// Pictures are [N,H,W,C] in the model and [N,C,H,W] in the graph.
inline const std::vector<int64_t> kToChannelsFirst = {0, 3, 1, 2}, kToChannelsLast = {0, 2, 3, 1};

/// Applies a fused activation function, by its number in the format.
ValueId Activate(TfliteNode& node, ValueId value, int activation);

}  // namespace vta::compiler
