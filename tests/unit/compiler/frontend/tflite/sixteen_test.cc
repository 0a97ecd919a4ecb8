// Operators on codes of 16 bits, against what TensorFlow Lite Micro's interpreter made of the same
// files and the same inputs.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "tests/unit/compiler/frontend/tflite/builder.h"

namespace vta::compiler {
namespace {

namespace tfl = tflite_schema;
using Code = TfliteBuilder::Code;
using Type = TfliteBuilder::Type;
using Activation = tfl::ActivationFunctionType;

constexpr float kScale = 0.0002f;

struct Model : TfliteBuilder {
  std::mt19937 random{11};

  int32_t In(const std::vector<int32_t>& shape, float scale = kScale) {
    return Scaled(Input("x", shape, Type::INT16), {scale}, {0});
  }
  int32_t Out(const std::vector<int32_t>& shape, float scale) {
    return Scaled(Output("y", shape, Type::INT16), {scale}, {0});
  }
  template <typename T>
  std::vector<T> Numbers(int32_t count, int64_t most) {
    std::vector<T> numbers(count);
    for (T& number : numbers)
      number = static_cast<T>(static_cast<int64_t>(random() % (2 * most)) - most);
    return numbers;
  }
  /// Weights with a scale for each of `channels`, or one; then a bias for each.
  std::vector<int32_t> Layer(const std::vector<int32_t>& shape, int32_t axis, int32_t channels,
                             bool per_channel, bool wide_bias) {
    int32_t count = 1;
    for (const int32_t size : shape) count *= size;
    std::vector<float> scales, bias_scales;
    for (int32_t i = 0; i < (per_channel ? channels : 1); ++i) {
      scales.push_back(0.004f + 0.001f * static_cast<float>(i));
      bias_scales.push_back(scales.back() * kScale);
    }
    const std::vector<int64_t> zeros(scales.size());
    std::vector<int32_t> numbers = {
        Scaled(Constant("w", shape, Numbers<int8_t>(count, 128)), scales, zeros, axis)};
    numbers.push_back(wide_bias ? Constant("b", {channels}, Numbers<int64_t>(channels, 1 << 26))
                                : Constant("b", {channels}, Numbers<int32_t>(channels, 1 << 20)));
    Scaled(numbers[1], bias_scales, zeros);
    return numbers;
  }

  /// Each input's codes follow from their places.
  std::vector<int16_t> Made() {
    std::vector<compiler::Tensor> inputs;
    for (const int32_t input : graph().inputs) {
      Shape shape(tensor(input).shape.begin(), tensor(input).shape.end());
      std::vector<int16_t> codes(Elements(shape));
      for (size_t i = 0; i < codes.size(); ++i)
        codes[i] = static_cast<int16_t>((i + 3 * inputs.size()) * 29101 % 65521 - 32760);
      inputs.push_back(compiler::Tensor::Of<int16_t>(shape, codes));
    }
    const compiler::Tensor y = Run(inputs);
    return {y.data<int16_t>().begin(), y.data<int16_t>().end()};
  }
};

using Codes16 = std::vector<int16_t>;

Model Convolution(bool wide_bias, Activation activation) {
  Model m;
  std::vector<int32_t> operands = {m.In({1, 4, 5, 3})};
  for (const int32_t number : m.Layer({2, 3, 3, 3}, 0, 2, true, wide_bias))
    operands.push_back(number);
  tfl::Conv2DOptionsT options;
  options.stride_h = options.stride_w = 2;
  options.fused_activation_function = activation;
  m.Operator(Code::CONV_2D, operands, {m.Out({1, 2, 3, 2}, 0.004f)}, options);
  return m;
}

Model FullyConnected(int32_t depth, bool wide_bias) {
  Model m;
  std::vector<int32_t> operands = {m.In({2, depth})};
  for (const int32_t number : m.Layer({3, depth}, 0, 3, false, wide_bias))
    operands.push_back(number);
  m.Operator(Code::FULLY_CONNECTED, operands, {m.Out({2, 3}, 0.005f)},
             tfl::FullyConnectedOptionsT());
  return m;
}

template <typename Options>
Model Binary(Code code, float y_scale, Activation activation) {
  Model m;
  const int32_t a = m.In({1, 8}), b = m.In({1, 8}, 0.0007f);
  Options options;
  options.fused_activation_function = activation;
  m.Operator(code, {a, b}, {m.Out({1, 8}, y_scale)}, options);
  return m;
}

TEST(TfliteSixteen, ConvolutionsAndFullyConnected) {
  EXPECT_EQ(
      Convolution(true, Activation::NONE).Made(),
      (Codes16{-6712, -484, -10519, 535, -9192, -1059, -8398, -1590, -7803, -1855, -8987, -157}));
  EXPECT_EQ(Convolution(false, Activation::RELU6).Made(),
            (Codes16{1500, 826, 0, 1500, 0, 252, 200, 0, 796, 0, 0, 1153}));
  EXPECT_EQ(FullyConnected(40, true).Made(), (Codes16{780, 5035, 8811, 1369, 2357, 8764}));
  EXPECT_EQ(FullyConnected(1100, false).Made(),
            (Codes16{-3444, -3273, -9890, 10825, 13181, 11745}));
  Model m;
  std::vector<int32_t> operands = {m.In({1, 3, 3, 2})};
  for (const int32_t number : m.Layer({1, 2, 2, 4}, 3, 4, true, true)) operands.push_back(number);
  tfl::DepthwiseConv2DOptionsT options;
  options.stride_h = options.stride_w = 1;
  options.padding = tfl::Padding::VALID;
  options.depth_multiplier = 2;
  m.Operator(Code::DEPTHWISE_CONV_2D, operands, {m.Out({1, 2, 2, 4}, 0.002f)}, options);
  EXPECT_EQ(m.Made(), (Codes16{-20135, 30838, -19602, 2454, -19456, 32767, -20704, -1967, -19409,
                               32627, -23811, -3656, -19386, 32536, -24991, -5004}));
}

/// 1100 * 127 * 30000 / 2^18, of which int32 does not hold the sum.
TEST(TfliteSixteen, SumsOfManyTerms) {
  constexpr int32_t kDepth = 1100;
  Model m;
  const int32_t x = m.In({1, kDepth}, std::ldexp(1.0f, -10));
  const int32_t w = m.Scaled(m.Constant("w", {1, kDepth}, std::vector<int8_t>(kDepth, 127)),
                             {std::ldexp(1.0f, -8)}, {0});
  m.Operator(Code::FULLY_CONNECTED, {x, w}, {m.Out({1, 1}, 1)}, tfl::FullyConnectedOptionsT());
  const Tensor y = m.Run({Tensor::Of<int16_t>({1, kDepth}, Codes16(kDepth, 30000))});
  EXPECT_EQ(y.At(0), 15987);
}

TEST(TfliteSixteen, ElementsAndPools) {
  EXPECT_EQ(Binary<tfl::AddOptionsT>(Code::ADD, 0.0009f, Activation::NONE).Made(),
            (Codes16{-15818, 13283, -8577, 5964, -15896, -1355, 27746, -8674}));
  EXPECT_EQ(Binary<tfl::SubOptionsT>(Code::SUB, 0.0009f, Activation::RELU).Made(),
            (Codes16{1258, 0, 19885, 0, 23951, 0, 0, 0}));
  EXPECT_EQ(Binary<tfl::MulOptionsT>(Code::MUL, 0.005f, Activation::NONE).Made(),
            (Codes16{10070, -1857, -13034, -3321, -12999, -1785, 9858, 2750}));
  for (const auto& [code, scale, codes] :
       {std::tuple(Code::LOGISTIC, std::ldexp(1.0f, -12),
                   Codes16{11, 9517, 32702, 2102, 32380, 372, 30581, 63}),
        {Code::LOGISTIC, 0.00013f, Codes16{457, 12559, 31611, 6342, 29930, 2780, 26309, 1132}},
        {Code::TANH, std::ldexp(1.0f, -13),
         Codes16{-32746, -13733, 32636, -28564, 31992, -32024, 28393, -32642}},
        {Code::TANH, 0.000037f,
         Codes16{-27436, -4410, 24112, -12622, 19181, -19318, 12443, -24208}}}) {
    Model m;
    m.Operator(code, {m.In({1, 8}, scale)}, {m.Out({1, 8}, std::ldexp(1.0f, -15))});
    EXPECT_EQ(m.Made(), codes);
  }
  Model m;
  tfl::Pool2DOptionsT options;
  options.filter_height = options.filter_width = 2;
  options.stride_h = options.stride_w = 2;
  m.Operator(Code::AVERAGE_POOL_2D, {m.In({1, 3, 3, 2})}, {m.Out({1, 2, 2, 2}, kScale)}, options);
  EXPECT_EQ(m.Made(), (Codes16{1743, -1917, 7145, 3485, -14813, 14289, -25791, 3310}));
}

TEST(TfliteSixteen, WhatDoesNotFitIsRefused) {
  const auto error = [](Model m, const std::function<void(Model&)>& change) {
    change(m);
    return m.ImportError();
  };
  const std::string fully = "m.tflite: operator 0 \"y\" (FULLY_CONNECTED): ";
  const auto change_layer = [&](const std::function<void(Model&)>& change) {
    return error(FullyConnected(4, true), change);
  };
  EXPECT_EQ(change_layer([](Model& m) { m.Scaled(0, {kScale}, {2}); }),
            fully + "input 0 = int16: must have one scale, and a zero point of 0");
  EXPECT_EQ(change_layer([](Model& m) { m.Scaled(1, {0.5f}, {1}); }),
            fully +
                "weights = int8[3,4]: must be int8 with scales, and zero points of 0, beside "
                "codes of 16 bits");
  EXPECT_EQ(change_layer([](Model& m) {
              m.Scaled(1, {1, 1, 1, 1}, {0, 0, 0, 0}, 1);
            }),
            fully + "weight scales = 4 of axis 1: must be one, or one for each of the 3 of axis 0");
  EXPECT_EQ(change_layer([](Model& m) { m.tensor(2).type = Type::FLOAT64; }),
            fully + "bias type = float64: must be int64 or int32 beside codes of 16 bits");
  EXPECT_EQ(change_layer([](Model& m) { m.tensor(2).shape = {1, 1, 3, 1}; }), "no error");
  EXPECT_EQ(error(Convolution(true, Activation::TANH), [](Model&) {}),
            "m.tflite: operator 0 \"y\" (CONV_2D): fused activation function = 4: is not supported "
            "for codes of 16 bits");
  EXPECT_EQ(
      error(Convolution(true, Activation::NONE),
            [](Model& m) {
              m.tensor(0).shape = {1, 80, 80, 1};
              m.tensor(1) = {};
              m.tensor(1).shape = {1, 40, 40, 1};
              m.Scaled(1, {1}, {0});
              m.tensor(1).type = Type::INT8;
              m.tensor(1).buffer = static_cast<uint32_t>(m.model.buffers.size());
              m.model.buffers.push_back(std::make_unique<tfl::BufferT>());
              m.model.buffers.back()->data.resize(1600);
              m.op(0).inputs.pop_back();
            }),
      "m.tflite: operator 0 \"y\" (CONV_2D): window = [40,40]: must have at most 1024 taps for "
      "codes of 16 bits");
  Model m;
  m.Operator(Code::TANH, {m.In({1, 8})}, {m.Out({1, 8}, 0.5f)});
  EXPECT_EQ(m.ImportError(),
            "m.tflite: operator 0 \"y\" (TANH): output scale = 0.5: must be 2^-15");
}

}  // namespace
}  // namespace vta::compiler
