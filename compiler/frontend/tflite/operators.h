// The operators that the importer knows: one table, a row an operator.
#pragma once

#include "compiler/frontend/tflite/node.h"

namespace vta::compiler {

struct TfliteOperator {
  int code;
  int min_inputs, max_inputs, max_outputs;
  TfliteConverter convert;
};

/// The row, or nullptr.
const TfliteOperator* FindTfliteOperator(int code);

// layers.cc
void ConvertConv2d(TfliteNode& node);
void ConvertDepthwiseConv2d(TfliteNode& node);
void ConvertFullyConnected(TfliteNode& node);
// pool.cc
void ConvertAveragePool2d(TfliteNode& node);
void ConvertMaxPool2d(TfliteNode& node);
// elementwise.cc
void ConvertAdd(TfliteNode& node);
void ConvertSub(TfliteNode& node);
void ConvertMul(TfliteNode& node);
void ConvertDiv(TfliteNode& node);
void ConvertRelu6(TfliteNode& node);
void ConvertReluN1To1(TfliteNode& node);
// reduce.cc
void ConvertMean(TfliteNode& node);
void ConvertSoftmax(TfliteNode& node);
// shape.cc
void ConvertReshape(TfliteNode& node);
void ConvertConcatenation(TfliteNode& node);
void ConvertPad(TfliteNode& node);
// quantize.cc
void ConvertQuantize(TfliteNode& node);
void ConvertDequantize(TfliteNode& node);

/// Pictures are [N,H,W,C] in the model and [N,C,H,W] in the graph.
inline const std::vector<int64_t> kToChannelsFirst = {0, 3, 1, 2}, kToChannelsLast = {0, 2, 3, 1};

/// Applies a fused activation function, by its number in the format.
ValueId Activate(TfliteNode& node, ValueId value, int activation);

}  // namespace vta::compiler
