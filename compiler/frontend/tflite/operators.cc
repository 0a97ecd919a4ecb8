#include "compiler/frontend/tflite/operators.h"

#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

using Code = tflite_schema::BuiltinOperator;
constexpr int kMany = 1 << 20;

/// One op of the graph on all of the inputs, as real numbers.
template <Op op>
void ConvertAs(TfliteNode& node) {
  std::vector<ValueId> inputs;
  for (int64_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.Real(i));
  node.Result(node.Emit(op, inputs));
}

constexpr int operator+(Code code) { return static_cast<int>(code); }

// Operator, inputs (least, most), outputs (most), converter.
constexpr TfliteOperator kOperators[] = {
    {+Code::ADD, 2, 2, 1, ConvertAdd},
    {+Code::AVERAGE_POOL_2D, 1, 1, 1, ConvertAveragePool2d},
    {+Code::CONCATENATION, 1, kMany, 1, ConvertConcatenation},
    {+Code::CONV_2D, 2, 3, 1, ConvertConv2d},
    {+Code::DEPTHWISE_CONV_2D, 2, 3, 1, ConvertDepthwiseConv2d},
    {+Code::DEQUANTIZE, 1, 1, 1, ConvertDequantize},
    {+Code::DIV, 2, 2, 1, ConvertDiv},
    {+Code::FULLY_CONNECTED, 2, 3, 1, ConvertFullyConnected},
    {+Code::LOGISTIC, 1, 1, 1, ConvertAs<Op::kSigmoid>},
    {+Code::MAX_POOL_2D, 1, 1, 1, ConvertMaxPool2d},
    {+Code::MEAN, 2, 2, 1, ConvertMean},
    {+Code::MUL, 2, 2, 1, ConvertMul},
    {+Code::PAD, 2, 2, 1, ConvertPad},
    {+Code::QUANTIZE, 1, 1, 1, ConvertQuantize},
    {+Code::RELU, 1, 1, 1, ConvertAs<Op::kRelu>},
    {+Code::RELU6, 1, 1, 1, ConvertRelu6},
    {+Code::RELU_N1_TO_1, 1, 1, 1, ConvertReluN1To1},
    {+Code::RESHAPE, 1, 2, 1, ConvertReshape},
    {+Code::SOFTMAX, 1, 1, 1, ConvertSoftmax},
    {+Code::SUB, 2, 2, 1, ConvertSub},
    {+Code::TANH, 1, 1, 1, ConvertAs<Op::kTanh>},
};

}  // namespace

const TfliteOperator* FindTfliteOperator(int code) {
  for (const TfliteOperator& row : kOperators)
    if (row.code == code) return &row;
  return nullptr;
}

}  // namespace vta::compiler
