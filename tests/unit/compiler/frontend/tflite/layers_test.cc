// Layers and pools of TensorFlow Lite models against their definitions over [N,H,W,C], written here
// with loops of their own; of codes in integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/compiler/frontend/tflite/builder.h"

namespace vta::compiler {
namespace {

namespace tfl = tflite_schema;
using Code = TfliteBuilder::Code;
using Type = TfliteBuilder::Type;

/// Small numbers that come in no order.
template <typename T>
std::vector<T> Mixed(int64_t count, int64_t span, uint32_t seed) {
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525 + 1013904223;
    values.push_back(static_cast<T>(static_cast<int64_t>(seed >> 16) % span - span / 2));
  }
  return values;
}

/// A picture and a window that goes over it.
struct Place {
  int64_t n, h, w, c;  // the picture
  int64_t kh, kw, sh, sw, dh, dw;
  bool same;

  int64_t Before(int64_t size, int64_t k, int64_t s, int64_t d) const {
    const int64_t total = ((size + s - 1) / s - 1) * s + (k - 1) * d + 1 - size;
    return same ? std::max<int64_t>(total, 0) / 2 : 0;
  }
  int64_t Out(int64_t size, int64_t k, int64_t s, int64_t d) const {
    return same ? (size + s - 1) / s : (size - (k - 1) * d - 1) / s + 1;
  }
  int64_t oh() const { return Out(h, kh, sh, dh); }
  int64_t ow() const { return Out(w, kw, sw, dw); }
  /// The element of the picture under a tap, or -1.
  int64_t At(int64_t b, int64_t oy, int64_t ox, int64_t ky, int64_t kx, int64_t channel) const {
    const int64_t y = oy * sh + ky * dh - Before(h, kh, sh, dh);
    const int64_t x = ox * sw + kx * dw - Before(w, kw, sw, dw);
    return y < 0 || y >= h || x < 0 || x >= w ? -1 : ((b * h + y) * w + x) * c + channel;
  }
};

/// Calls f(output place, output channel) in the output's order.
template <typename F>
void ForEachOutput(const Place& p, int64_t channels, F f) {
  for (int64_t b = 0; b < p.n; ++b)
    for (int64_t y = 0; y < p.oh(); ++y)
      for (int64_t x = 0; x < p.ow(); ++x)
        for (int64_t oc = 0; oc < channels; ++oc) f(b, y, x, oc);
}

/// Sums of products: x(index) of what is not padding, times w at the weight's index.
template <typename X, typename W>
std::vector<double> Convolved(const Place& p, int64_t channels, bool depthwise, X x, W w) {
  std::vector<double> sums;
  const int64_t each = depthwise ? channels / p.c : 0;
  ForEachOutput(p, channels, [&](int64_t b, int64_t y, int64_t xx, int64_t oc) {
    double sum = 0;
    for (int64_t ky = 0; ky < p.kh; ++ky)
      for (int64_t kx = 0; kx < p.kw; ++kx)
        for (int64_t ic = 0; ic < (depthwise ? 1 : p.c); ++ic) {
          const int64_t at = p.At(b, y, xx, ky, kx, depthwise ? oc / each : ic);
          const int64_t weight = depthwise ? (ky * p.kw + kx) * channels + oc
                                           : ((oc * p.kh + ky) * p.kw + kx) * p.c + ic;
          if (at >= 0) sum += x(at) * w(weight, oc);
        }
    sums.push_back(sum);
  });
  return sums;
}

std::vector<int32_t> Sizes(std::initializer_list<int64_t> list) {
  return {list.begin(), list.end()};
}

tfl::Conv2DOptionsT ConvOptions(const Place& p, tfl::ActivationFunctionType activation) {
  tfl::Conv2DOptionsT o;
  o.padding = p.same ? tfl::Padding::SAME : tfl::Padding::VALID;
  o.stride_h = static_cast<int32_t>(p.sh);
  o.stride_w = static_cast<int32_t>(p.sw);
  o.dilation_h_factor = static_cast<int32_t>(p.dh);
  o.dilation_w_factor = static_cast<int32_t>(p.dw);
  o.fused_activation_function = activation;
  return o;
}

tfl::DepthwiseConv2DOptionsT DepthwiseOptions(const Place& p, int64_t multiplier,
                                              tfl::ActivationFunctionType activation) {
  tfl::DepthwiseConv2DOptionsT o;
  o.padding = p.same ? tfl::Padding::SAME : tfl::Padding::VALID;
  o.stride_h = static_cast<int32_t>(p.sh);
  o.stride_w = static_cast<int32_t>(p.sw);
  o.dilation_h_factor = static_cast<int32_t>(p.dh);
  o.dilation_w_factor = static_cast<int32_t>(p.dw);
  o.depth_multiplier = static_cast<int32_t>(multiplier);
  o.fused_activation_function = activation;
  return o;
}

const Place kPlaces[] = {
    {1, 5, 6, 2, 3, 3, 1, 1, 1, 1, true},  {2, 5, 6, 2, 3, 2, 2, 2, 1, 1, true},
    {1, 7, 8, 3, 3, 3, 1, 2, 2, 1, true},  {1, 7, 8, 3, 3, 3, 2, 1, 1, 2, false},
    {1, 4, 4, 2, 2, 2, 1, 1, 1, 1, true},  {1, 6, 5, 1, 1, 1, 2, 2, 1, 1, true},
    {1, 6, 5, 4, 4, 3, 1, 1, 1, 1, false},
};

TEST(TfliteLayers, FloatConvolutions) {
  for (const Place& p : kPlaces)
    for (const bool depthwise : {false, true}) {
      const int64_t channels = depthwise ? 2 * p.c : 3, taps = p.kh * p.kw;
      const auto x = Mixed<float>(p.n * p.h * p.w * p.c, 9, 1);
      const auto w = Mixed<float>(depthwise ? taps * channels : channels * taps * p.c, 7, 2);
      const auto bias = Mixed<float>(channels, 5, 3);
      TfliteBuilder b;
      const int32_t in = b.Input("x", Sizes({p.n, p.h, p.w, p.c}));
      const int32_t weights = b.Constant<float>(
          "w", depthwise ? Sizes({1, p.kh, p.kw, channels}) : Sizes({channels, p.kh, p.kw, p.c}),
          w);
      const std::vector<int32_t> inputs = {in, weights,
                                           b.Constant<float>("b", Sizes({channels}), bias)};
      const int32_t out = b.Output("y", Sizes({p.n, p.oh(), p.ow(), channels}));
      const auto relu6 = tfl::ActivationFunctionType::RELU6;
      if (depthwise)
        b.Operator(Code::DEPTHWISE_CONV_2D, inputs, {out}, DepthwiseOptions(p, 2, relu6));
      else
        b.Operator(Code::CONV_2D, inputs, {out}, ConvOptions(p, relu6));
      const Tensor y = b.Run({Tensor::Of<float>({p.n, p.h, p.w, p.c}, x)});
      auto expected = Convolved(
          p, channels, depthwise, [&](int64_t i) { return double{x[i]}; },
          [&](int64_t i, int64_t) { return double{w[i]}; });
      for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = std::clamp(expected[i] + bias[i % channels], 0.0, 6.0);
      ASSERT_EQ(y.shape(), (Shape{p.n, p.oh(), p.ow(), channels}));
      for (size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(y.At(i), expected[i]) << i;
    }
}

/// Codes of powers of two as scales, so that nothing but the last rounding rounds.
struct Codes {
  float x_scale = 0.5f, y_scale = 4;
  int64_t x_zero, y_zero, low, high;  // and the codes' range

  int64_t Code(double real, double least) const {
    const double zero = static_cast<double>(y_zero);
    const double code = std::nearbyint(real / y_scale) + zero;
    return static_cast<int64_t>(
        std::clamp(code, std::max(double(low), zero + least / y_scale), static_cast<double>(high)));
  }
};

template <typename T>
void CheckQuantised(const Place& p, bool depthwise, const Codes& q, bool per_channel) {
  const int64_t channels = depthwise ? p.c : 3, taps = p.kh * p.kw;
  const auto x = Mixed<T>(p.n * p.h * p.w * p.c, 200, 4);
  const auto w = Mixed<T>(depthwise ? taps * channels : channels * taps * p.c, 200, 5);
  const auto bias = Mixed<int32_t>(channels, 2000, 6);
  std::vector<float> scales(per_channel ? channels : 1, 0.25f);
  for (size_t i = 0; i < scales.size(); ++i) scales[i] = std::ldexp(0.25f, -int(i % 3));
  const int64_t w_zero = std::is_same_v<T, uint8_t> ? 7 : 0;
  const Type type = std::is_same_v<T, uint8_t> ? Type::UINT8 : Type::INT8;
  TfliteBuilder b;
  const int32_t in =
      b.Scaled(b.Input("x", Sizes({p.n, p.h, p.w, p.c}), type), {q.x_scale}, {q.x_zero});
  const int32_t weights = b.Scaled(
      b.Constant<T>(
          "w", depthwise ? Sizes({1, p.kh, p.kw, channels}) : Sizes({channels, p.kh, p.kw, p.c}),
          w),
      scales, std::vector<int64_t>(scales.size(), w_zero), depthwise ? 3 : 0);
  const int32_t biases = b.Constant<int32_t>("b", Sizes({channels}), bias);
  const int32_t out = b.Scaled(b.Output("y", Sizes({p.n, p.oh(), p.ow(), channels}), type),
                               {q.y_scale}, {q.y_zero});
  const auto relu = tfl::ActivationFunctionType::RELU;
  if (depthwise)
    b.Operator(Code::DEPTHWISE_CONV_2D, {in, weights, biases}, {out}, DepthwiseOptions(p, 1, relu));
  else
    b.Operator(Code::CONV_2D, {in, weights, biases}, {out}, ConvOptions(p, relu));
  const Tensor y = b.Run({Tensor::Of<T>({p.n, p.h, p.w, p.c}, x)});
  const auto sums = Convolved(
      p, channels, depthwise, [&](int64_t i) { return double(x[i]) - double(q.x_zero); },
      [&](int64_t i, int64_t) { return double(w[i]) - double(w_zero); });
  for (size_t i = 0; i < sums.size(); ++i) {
    const int64_t channel = static_cast<int64_t>(i) % channels;
    const double scale = q.x_scale * scales[per_channel ? channel : 0];
    ASSERT_EQ(y.At(i), q.Code((sums[i] + bias[channel]) * scale, 0)) << i;
  }
}

TEST(TfliteLayers, QuantisedConvolutions) {
  for (const Place& p : kPlaces)
    for (const bool depthwise : {false, true}) {
      for (const bool per_channel : {false, true})
        CheckQuantised<int8_t>(p, depthwise, {.x_zero = -3, .y_zero = 5, .low = -128, .high = 127},
                               per_channel);
      CheckQuantised<uint8_t>(p, depthwise, {.x_zero = 130, .y_zero = 100, .low = 0, .high = 255},
                              false);
    }
}

TEST(TfliteLayers, GroupsOfChannels) {
  const Place p{1, 3, 3, 4, 2, 2, 1, 1, 1, 1, false};
  const auto x = Mixed<float>(36, 9, 1), w = Mixed<float>(2 * 4 * 2, 9, 2);
  TfliteBuilder b;
  b.Input("x", {1, 3, 3, 4});
  b.Constant<float>("w", {2, 2, 2, 2}, w);
  b.Output("y", {1, 2, 2, 2});
  b.Operator(Code::CONV_2D, {0, 1}, {2}, ConvOptions(p, tfl::ActivationFunctionType::NONE));
  const Tensor y = b.Run({Tensor::Of<float>({1, 3, 3, 4}, x)});
  int64_t i = 0;
  ForEachOutput(p, 2, [&](int64_t, int64_t oy, int64_t ox, int64_t oc) {
    float sum = 0;
    for (int64_t ky = 0; ky < 2; ++ky)
      for (int64_t kx = 0; kx < 2; ++kx)
        for (int64_t ic = 0; ic < 2; ++ic)
          sum += x[p.At(0, oy, ox, ky, kx, oc * 2 + ic)] * w[((oc * 2 + ky) * 2 + kx) * 2 + ic];
    EXPECT_EQ(y.At(i++), sum);
  });
}

TEST(TfliteLayers, FullyConnected) {
  for (const bool keep : {false, true}) {
    const auto x = Mixed<float>(12, 9, 1), w = Mixed<float>(6, 9, 2);
    TfliteBuilder b;
    b.Input("x", {2, 2, 3});
    b.Constant<float>("w", {2, 3}, w);
    b.Constant<float>("b", {2}, {1, -2});
    b.Output("y", keep ? std::vector<int32_t>{2, 2, 2} : std::vector<int32_t>{4, 2});
    tfl::FullyConnectedOptionsT options;
    options.keep_num_dims = keep;
    options.fused_activation_function = tfl::ActivationFunctionType::RELU_N1_TO_1;
    b.Operator(Code::FULLY_CONNECTED, {0, 1, 2}, {3}, options);
    const Tensor y = b.Run({Tensor::Of<float>({2, 2, 3}, x)});
    EXPECT_EQ(y.shape(), keep ? (Shape{2, 2, 2}) : (Shape{4, 2}));
    for (int64_t i = 0; i < 8; ++i) {
      float sum = i % 2 == 0 ? 1 : -2;
      for (int64_t k = 0; k < 3; ++k) sum += x[i / 2 * 3 + k] * w[i % 2 * 3 + k];
      EXPECT_EQ(y.At(i), std::clamp(sum, -1.0f, 1.0f)) << i;
    }
  }
}

/// An absent bias is input -1; weights of codes go with a real input.
TEST(TfliteLayers, FullyConnectedWithoutABiasAndWithCodesAsWeights) {
  TfliteBuilder b;
  b.Input("x", {1, 2});
  b.Scaled(b.Constant<int8_t>("w", {2, 2}, {1, 2, 3, -4}), {0.5f}, {0});
  b.Output("y", {1, 2});
  b.Operator(Code::FULLY_CONNECTED, {0, 1, -1}, {2});
  EXPECT_EQ(b.Run({Tensor::Of<float>({1, 2}, {3, 5})}), Tensor::Of<float>({1, 2}, {6.5f, -5.5f}));
}

TEST(TfliteLayers, PoolsCountWhatIsNotPadding) {
  for (const Place& p : kPlaces)
    for (const bool average : {false, true}) {
      if (p.dh != 1 || p.dw != 1) continue;
      const auto x = Mixed<float>(p.n * p.h * p.w * p.c, 64, 7);
      TfliteBuilder b;
      b.Input("x", Sizes({p.n, p.h, p.w, p.c}));
      b.Output("y", Sizes({p.n, p.oh(), p.ow(), p.c}));
      tfl::Pool2DOptionsT options;
      options.padding = p.same ? tfl::Padding::SAME : tfl::Padding::VALID;
      options.stride_h = static_cast<int32_t>(p.sh);
      options.stride_w = static_cast<int32_t>(p.sw);
      options.filter_height = static_cast<int32_t>(p.kh);
      options.filter_width = static_cast<int32_t>(p.kw);
      options.fused_activation_function = tfl::ActivationFunctionType::RELU;
      b.Operator(average ? Code::AVERAGE_POOL_2D : Code::MAX_POOL_2D, {0}, {1}, options);
      const Tensor y = b.Run({Tensor::Of<float>({p.n, p.h, p.w, p.c}, x)});
      int64_t i = 0;
      ForEachOutput(p, p.c, [&](int64_t n, int64_t oy, int64_t ox, int64_t c) {
        double sum = 0, most = -INFINITY, count = 0;
        for (int64_t ky = 0; ky < p.kh; ++ky)
          for (int64_t kx = 0; kx < p.kw; ++kx)
            if (const int64_t at = p.At(n, oy, ox, ky, kx, c); at >= 0) {
              sum += x[at];
              most = std::max(most, double{x[at]});
              ++count;
            }
        const auto expected = static_cast<float>(std::max(average ? sum / count : most, 0.0));
        ASSERT_EQ(y.At(i++), expected) << average;
      });
    }
}

}  // namespace
}  // namespace vta::compiler
