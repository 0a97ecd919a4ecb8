#include "compiler/frontend/onnx_operators.h"

namespace vta::compiler {
namespace {

constexpr std::string_view kOnnx = "", kMicrosoft = "com.microsoft";
constexpr int kMany = 1 << 20;

// Domain, operator, least opset, inputs (least, most), outputs, converter.
constexpr OnnxOperator kOperators[] = {
    {kOnnx, "Add", 7, 2, 2, 1, ConvertAdd},
    {kOnnx, "AveragePool", 7, 1, 1, 1, ConvertAveragePool},
    {kOnnx, "Cast", 6, 1, 1, 1, ConvertCast},
    {kOnnx, "Clip", 6, 1, 3, 1, ConvertClip},
    {kOnnx, "Concat", 4, 1, kMany, 1, ConvertConcat},
    {kOnnx, "Constant", 1, 0, 0, 1, ConvertConstant},
    {kOnnx, "Conv", 1, 2, 3, 1, ConvertConv},
    {kOnnx, "DequantizeLinear", 10, 2, 3, 1, ConvertDequantizeLinear},
    {kOnnx, "Dropout", 7, 1, 3, 2, ConvertDropout},
    {kOnnx, "Flatten", 1, 1, 1, 1, ConvertFlatten},
    {kOnnx, "Gemm", 7, 2, 3, 1, ConvertGemm},
    {kOnnx, "GlobalAveragePool", 1, 1, 1, 1, ConvertGlobalAveragePool},
    {kOnnx, "Identity", 1, 1, 1, 1, ConvertIdentity},
    {kOnnx, "MatMul", 1, 2, 2, 1, ConvertMatMul},
    {kOnnx, "MaxPool", 8, 1, 1, 1, ConvertMaxPool},
    {kOnnx, "Mul", 7, 2, 2, 1, ConvertMul},
    {kOnnx, "Pad", 2, 1, 4, 1, ConvertPad},
    {kOnnx, "QLinearConv", 10, 8, 9, 1, ConvertQLinearConv},
    {kOnnx, "QLinearMatMul", 10, 8, 8, 1, ConvertQLinearMatMul},
    {kOnnx, "QuantizeLinear", 10, 2, 3, 1, ConvertQuantizeLinear},
    {kOnnx, "ReduceMean", 1, 1, 2, 1, ConvertReduceMean},
    {kOnnx, "Relu", 6, 1, 1, 1, ConvertRelu},
    {kOnnx, "Reshape", 5, 2, 2, 1, ConvertReshape},
    {kOnnx, "Softmax", 1, 1, 1, 1, ConvertSoftmax},
    {kOnnx, "Squeeze", 1, 1, 2, 1, ConvertSqueeze},
    {kOnnx, "Sum", 8, 1, kMany, 1, ConvertAdd},
    {kOnnx, "Transpose", 1, 1, 1, 1, ConvertTranspose},
    {kOnnx, "Unsqueeze", 1, 1, 2, 1, ConvertUnsqueeze},
    {kMicrosoft, "DequantizeLinear", 1, 2, 3, 1, ConvertDequantizeLinear},
    {kMicrosoft, "QLinearAdd", 1, 7, 8, 1, ConvertQLinearAdd},
    {kMicrosoft, "QuantizeLinear", 1, 2, 3, 1, ConvertQuantizeLinear},
};

}  // namespace

const OnnxOperator* FindOnnxOperator(std::string_view domain, std::string_view type) {
  for (const OnnxOperator& row : kOperators) {
    if (row.domain == domain && row.type == type) return &row;
  }
  return nullptr;
}

}  // namespace vta::compiler
