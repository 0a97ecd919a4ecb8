// What TensorFlow Lite models with layers that do not fit are told.
#include <gtest/gtest.h>

#include "tests/unit/compiler/frontend/tflite/builder.h"

namespace vta::compiler {
namespace {

namespace tfl = tflite_schema;
using Code = TfliteBuilder::Code;
using Type = TfliteBuilder::Type;

/// A 3x3 convolution of int8 with a bias, to be changed.
struct ConvLayer : TfliteBuilder {
  tfl::Conv2DOptionsT options;

  ConvLayer() {
    options.stride_h = options.stride_w = 1;
    Scaled(Input("x", {1, 4, 4, 2}, Type::INT8), {0.5f}, {0});
    Scaled(Constant<int8_t>("w", {1, 3, 3, 2}, std::vector<int8_t>(18)), {0.25f}, {0});
    Scaled(Constant<int32_t>("b", {1}, {7}), {0.125f}, {0});
    Scaled(Output("y", {1, 4, 4, 1}, Type::INT8), {1}, {0});
  }
  std::string Error() {
    Operator(Code::CONV_2D, {0, 1, 2}, {3}, options);
    const std::string error = ImportError(), prefix = "m.tflite: operator 0 \"y\" (CONV_2D): ";
    return error.starts_with(prefix) ? error.substr(prefix.size()) : error;
  }
};

template <typename F>
std::string LayerError(F change) {
  ConvLayer b;
  change(b);
  return b.Error();
}

TEST(TfliteLayerErrors, Windows) {
  EXPECT_EQ(ConvLayer().Error(), "no error");
  EXPECT_EQ(LayerError([](ConvLayer& b) { b.options.stride_h = 0; }),
            "strides = [0,1]: must be at least 1");
  EXPECT_EQ(LayerError([](ConvLayer& b) { b.options.dilation_w_factor = -1; }),
            "dilations = [1,-1]: must be at least 1");
  EXPECT_EQ(LayerError([](ConvLayer& b) { b.options.padding = static_cast<tfl::Padding>(2); }),
            "padding = 2: must be SAME or VALID");
  EXPECT_EQ(LayerError([](ConvLayer& b) {
              b.options.padding = tfl::Padding::VALID;
              b.options.dilation_h_factor = 9;
            }),
            "window height = 19: must not exceed the padded input of 4");
  EXPECT_EQ(LayerError([](ConvLayer& b) {
              b.options.fused_activation_function = tfl::ActivationFunctionType::SIGN_BIT;
            }),
            "fused activation function = 5: is not supported");
}

TEST(TfliteLayerErrors, Operands) {
  EXPECT_EQ(LayerError([](ConvLayer& b) {
              b.tensor(0).shape = {4, 4, 2};
            }),
            "input shape = [4,4,2]: must be [N,H,W,C]");
  EXPECT_EQ(LayerError([](ConvLayer& b) {
              b.tensor(1).shape = {3, 3, 2};
            }),
            "weight shape = [3,3,2]: must be [OC,KH,KW,C/groups]");
  EXPECT_EQ(LayerError([](ConvLayer& b) {
              b.tensor(1).shape = {1, 2, 3, 3};
            }),
            "weight shape = [1,2,3,3]: its last size must divide the input's 2 channels");
  EXPECT_EQ(LayerError([](ConvLayer& b) {
              b.Constant<int32_t>("two", {2}, {1, 2});
              b.tensor(2).shape = {2};
              b.tensor(2).buffer = b.tensor(4).buffer;
            }),
            "bias shape = [2]: must be [1]");
  EXPECT_EQ(LayerError([](ConvLayer& b) { b.tensor(2).quantization->scale = {0.25f}; }),
            "bias scale = 0.25: must be input scale x weight scale, 0.125");
  EXPECT_EQ(LayerError([](ConvLayer& b) { b.tensor(2).quantization->zero_point = {1}; }),
            "bias zero point = 1: must be 0");
  EXPECT_EQ(LayerError([](ConvLayer& b) {
              b.Constant<int64_t>("wide", {1}, {7});
              b.tensor(2).type = Type::INT64;
              b.tensor(2).buffer = b.tensor(4).buffer;
            }),
            "bias type = int64: must be int32 or float32");
  EXPECT_EQ(LayerError([](ConvLayer& b) { b.tensor(0).type = Type::FLOAT32; }),
            "bias type = int32: must be float32 where input or weights have no scale of their own");
}

TEST(TfliteLayerErrors, DepthwiseWeights) {
  TfliteBuilder b;
  b.Input("x", {1, 4, 4, 2});
  b.Constant<float>("w", {1, 1, 1, 4}, {1, 2, 3, 4});
  b.Output("y", {1, 4, 4, 4});
  tfl::DepthwiseConv2DOptionsT options;
  options.stride_h = options.stride_w = 1;
  options.depth_multiplier = 1;
  b.Operator(Code::DEPTHWISE_CONV_2D, {0, 1}, {2}, options);
  EXPECT_EQ(b.ImportError(),
            "m.tflite: operator 0 \"y\" (DEPTHWISE_CONV_2D): weight shape = [1,1,1,4]: must be "
            "[1,KH,KW,2 x depth_multiplier 1]");
}

TEST(TfliteLayerErrors, FullyConnected) {
  const auto error = [](tfl::FullyConnectedOptionsT options, const std::vector<int32_t>& w) {
    TfliteBuilder b;
    b.Input("x", {2, 6});
    b.Constant<float>("w", w, std::vector<float>(12));
    b.Output("y", {});
    b.Operator(Code::FULLY_CONNECTED, {0, 1}, {2}, options);
    return b.ImportError();
  };
  const std::string at = "m.tflite: operator 0 \"y\" (FULLY_CONNECTED): ";
  tfl::FullyConnectedOptionsT keep, shuffled;
  keep.keep_num_dims = true;
  shuffled.weights_format = tfl::WeightsFormat::SHUFFLED4x16INT8;
  EXPECT_EQ(error({}, {2, 6}), "no error");
  EXPECT_EQ(error({}, {3, 4}), "no error");
  EXPECT_EQ(error(keep, {3, 4}), at + "input shape = [2,6]: must end in the weights' depth, 4");
  EXPECT_EQ(error({}, {12}), at + "weight shape = [12]: must be [units,depth]");
  EXPECT_EQ(error(shuffled, {2, 6}),
            at + "weights_format = 1: must be 0: shuffled weights are not supported");
}

}  // namespace
}  // namespace vta::compiler
