// LSTM layers of int8 codes, against what TensorFlow Lite Micro's interpreter made of the same
// files and the same inputs.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "compiler/frontend/tflite/integer_kernels.h"
#include "tests/unit/compiler/frontend/tflite/builder.h"

namespace vta::compiler {
namespace {

namespace tfl = tflite_schema;
using Type = TfliteBuilder::Type;

constexpr int32_t kCodeSteps = 4, kCodeSequences = 2, kCodeInputs = 3, kCodeHidden = 4;

struct CodeLayer {
  bool time_major = false;
  int cell_power = -11;
  float cell_clip = 0, weight_scale = 0.004f;
  std::mt19937 random{5};
  TfliteBuilder b = {};
  tfl::UnidirectionalSequenceLSTMOptionsT options = {};

  template <typename T>
  std::vector<T> Codes(int32_t count, int32_t most) {
    std::vector<T> codes(count);
    for (T& code : codes) code = static_cast<T>(static_cast<int32_t>(random() % (2 * most)) - most);
    return codes;
  }

  void Build() {
    constexpr float kScale = 1.0f / 40, kHiddenScale = 1.0f / 130;
    const std::vector<int32_t> outer = time_major ? std::vector{kCodeSteps, kCodeSequences}
                                                  : std::vector{kCodeSequences, kCodeSteps};
    std::vector<int32_t> inputs = {
        b.Scaled(b.Input("x", {outer[0], outer[1], kCodeInputs}, Type::INT8), {kScale}, {-7})};
    for (int32_t i = 1; i < 9; ++i) {
      const int32_t wide = i < 5 ? kCodeInputs : kCodeHidden;
      inputs.push_back(
          b.Scaled(b.Constant("w", {kCodeHidden, wide}, Codes<int8_t>(kCodeHidden * wide, 127)),
                   {weight_scale * (1 + static_cast<float>(i) / 8)}, {0}));
    }
    inputs.insert(inputs.end(), 3, -1);
    for (int32_t i = 0; i < 4; ++i)
      inputs.push_back(b.Scaled(b.Constant("b", {kCodeHidden}, Codes<int32_t>(kCodeHidden, 2000)),
                                {weight_scale * kScale}, {0}));
    inputs.insert(inputs.end(), 2, -1);
    inputs.push_back(
        b.Scaled(b.Tensor("h", {kCodeSequences, kCodeHidden}, Type::INT8), {kHiddenScale}, {3}));
    inputs.push_back(b.Scaled(b.Tensor("c", {kCodeSequences, kCodeHidden}, Type::INT16),
                              {std::ldexp(1.0f, cell_power)}, {0}));
    for (const int32_t state : {inputs[18], inputs[19]}) b.tensor(state).is_variable = true;
    inputs.insert(inputs.end(), 4, -1);
    options.fused_activation_function = tfl::ActivationFunctionType::TANH;
    options.cell_clip = cell_clip;
    options.time_major = time_major;
    b.Operator(TfliteBuilder::Code::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs,
               {b.Scaled(b.Output("y", {outer[0], outer[1], kCodeHidden}, Type::INT8),
                         {kHiddenScale}, {3})},
               options);
  }

  /// Each input's code follows from its place.
  std::vector<int8_t> Run() {
    Build();
    std::vector<int8_t> x(kCodeSteps * kCodeSequences * kCodeInputs);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int8_t>(i * 53 % 251 - 125);
    const Tensor y =
        b.Run({Tensor::Of<int8_t>(time_major ? Shape{kCodeSteps, kCodeSequences, kCodeInputs}
                                             : Shape{kCodeSequences, kCodeSteps, kCodeInputs},
                                  x)});
    const auto codes = y.data<int8_t>();
    return {codes.begin(), codes.end()};
  }
};

TEST(TfliteLstmCodes, BytesOfTensorFlowLiteMicro) {
  EXPECT_EQ(
      CodeLayer{}.Run(),
      (std::vector<int8_t>{-18, -43, 3,  7,   41,  -2, -38, 20, 1, -33, -40, 14, 85, 3,  26, 45, 1,
                           44,  -18, -6, -13, -31, -6, -40, 82, 2, 28,  42,  10, -3, 37, 2}));
  EXPECT_EQ(
      (CodeLayer{.time_major = true, .cell_power = -15, .cell_clip = 0.5f}.Run()),
      (std::vector<int8_t>{-18, -40, 3,   7,  47, 21,  -21, 18, -5, -27, -3, -14, 62, 4,  29, 47,
                           0,   35,  -27, -9, 2,  -43, 26,  13, 62, 2,   22, 37,  0,  23, 24, -4}));
  // Gates and the state of the cell saturate.
  EXPECT_EQ((CodeLayer{.cell_power = -14, .weight_scale = 0.3f}.Run()),
            (std::vector<int8_t>{3, -96, 3, 3, 3, 3,   -27, 3, 3,  -17, -57, -57, 52, 3,   52, 63,
                                 3, 13,  3, 3, 3, -96, 3,   3, 33, 3,   3,   3,   33, -29, 3,  3}));
}

/// As LiteRT's reference kernels have them for inputs with scales of 2^-12 and 2^-11.
TEST(TfliteLstmCodes, TablesOfFunctions) {
  const auto sum = [](CodeFunction function, int64_t shift) {
    const Tensor table = TableOf(function, 0, shift);
    int64_t all = 0;
    for (int64_t i = 0; i < table.elements(); ++i) all += table.data<int16_t>()[i] * (i % 251);
    return all;
  };
  EXPECT_EQ(sum(CodeFunction::kLogistic, 0), 134295077318);
  EXPECT_EQ(sum(CodeFunction::kLogistic, 1), 134295126571);
  EXPECT_EQ(sum(CodeFunction::kTanh, 0), 247405526);
  EXPECT_EQ(sum(CodeFunction::kTanh, 1), 247345208);
}

TEST(TfliteLstmCodes, WhatDoesNotFitIsRefused) {
  const auto error = [](const std::function<void(CodeLayer&)>& change) {
    CodeLayer layer;
    layer.Build();
    change(layer);
    return layer.b.ImportError();
  };
  const std::string at = "m.tflite: operator 0 \"y\" (UNIDIRECTIONAL_SEQUENCE_LSTM): ";
  EXPECT_EQ(error([](CodeLayer& l) { l.b.op(0).inputs[9] = l.b.op(0).inputs[12]; }),
            at + "input 9 = a peephole: is not supported in layers of int8");
  EXPECT_EQ(error([](CodeLayer& l) { l.b.op(0).inputs[16] = l.b.op(0).inputs[5]; }),
            at + "input 16 = a projection: is not supported in layers of int8");
  EXPECT_EQ(error([](CodeLayer& l) { l.b.op(0).inputs[1] = l.b.op(0).inputs[5] = -1; }),
            at + "input gate = missing: is required in layers of int8");
  EXPECT_EQ(error([](CodeLayer& l) {
              l.options.fused_activation_function = tfl::ActivationFunctionType::RELU;
              l.b.op(0).builtin_options.Set(l.options);
            }),
            at + "activation = RELU: must be TANH in layers of int8");
  EXPECT_EQ(error([](CodeLayer& l) { l.b.Scaled(l.b.op(0).inputs[19], {0.75f}, {0}); }),
            at + "scale of the cell state = 0.75: must be a power of two, 2^-15 to 2^15, with a "
                 "zero point of 0");
  EXPECT_EQ(error([](CodeLayer& l) { l.b.Scaled(l.b.op(0).inputs[2], {0.5f}, {1}); }),
            at + "zero point of input 2 = 1: must be 0");
  EXPECT_EQ(error([](CodeLayer& l) { l.b.tensor(l.b.op(0).inputs[19]).type = Type::INT8; }),
            at + "type of input 19 = int8: must be int16 in layers of int8");
  EXPECT_EQ(error([](CodeLayer& l) { l.b.tensor(l.b.op(0).inputs[18]).quantization.reset(); }),
            at + "input 18 = int8: must have one scale and zero point");
  EXPECT_EQ(error([](CodeLayer& l) { l.b.Scaled(l.b.op(0).outputs[0], {0.5f}, {3}); }),
            at + "scale and zero point of the output = others: must be the hidden state's");
  EXPECT_EQ(error([](CodeLayer& l) { l.b.tensor(l.b.op(0).inputs[13]).type = Type::FLOAT32; }),
            at + "type of input 13 = float32: must be int32 in layers of int8");
  EXPECT_EQ(error([](CodeLayer& l) { l.b.tensor(l.b.op(0).outputs[0]).type = Type::FLOAT32; }),
            at + "input and output type = int8 and float32: must be float32 or int8, both");
}

}  // namespace
}  // namespace vta::compiler
