// The operators that the importer knows: one table, a row an operator of a domain.
#pragma once

#include <string_view>

#include "compiler/frontend/onnx_node.h"

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
void ConvertMaxPool(OnnxNode& node);
void ConvertAveragePool(OnnxNode& node);
void ConvertGlobalAveragePool(OnnxNode& node);
// onnx_math.cc
void ConvertGemm(OnnxNode& node);
void ConvertMatMul(OnnxNode& node);
void ConvertAdd(OnnxNode& node);
void ConvertMul(OnnxNode& node);
void ConvertRelu(OnnxNode& node);
void ConvertClip(OnnxNode& node);
void ConvertSoftmax(OnnxNode& node);
void ConvertReduceMean(OnnxNode& node);
void ConvertCast(OnnxNode& node);
// onnx_shape.cc
void ConvertIdentity(OnnxNode& node);
void ConvertDropout(OnnxNode& node);
void ConvertConstant(OnnxNode& node);
void ConvertFlatten(OnnxNode& node);
void ConvertReshape(OnnxNode& node);
void ConvertSqueeze(OnnxNode& node);
void ConvertUnsqueeze(OnnxNode& node);
void ConvertTranspose(OnnxNode& node);
void ConvertConcat(OnnxNode& node);
void ConvertPad(OnnxNode& node);
// onnx_quantized.cc
void ConvertQuantizeLinear(OnnxNode& node);
void ConvertDequantizeLinear(OnnxNode& node);
void ConvertQLinearConv(OnnxNode& node);
void ConvertQLinearMatMul(OnnxNode& node);
void ConvertQLinearAdd(OnnxNode& node);

// What families share: the strides, pads, dilations and groups of Conv and QLinearConv.
Attributes ReadConvAttributes(OnnxNode& node, const Shape& x, const Shape& w);

}  // namespace vta::compiler
