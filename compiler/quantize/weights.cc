#include "compiler/quantize/weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/support/error.h"

namespace vta::compiler::quantize {
namespace {

constexpr double kMostCode = 127;
/// Of a multiplication in 32 bits that hardware does before it shifts.
constexpr int64_t kSmallBits = 7;

/// The weights of each channel.
std::vector<std::vector<double>> ByChannel(const Tensor& weights, int64_t axis) {
  const Shape& shape = weights.shape();
  const int64_t step = Strides(shape)[axis];
  std::vector<std::vector<double>> channels(shape[axis]);
  for (int64_t i = 0; i < weights.elements(); ++i)
    channels[i / step % shape[axis]].push_back(weights.At(i));
  return channels;
}

double CodeOf(double weight, double scale) {
  return std::clamp(std::nearbyint(weight / scale), -kMostCode, kMostCode);
}

double SquaredError(const std::vector<double>& weights, double scale) {
  double sum = 0;
  for (const double w : weights) {
    const double error = CodeOf(w, scale) * scale - w;
    sum += error * error;
  }
  return sum;
}

/// The float32 next to `scale` whose factor does not exceed the one that was chosen: one that did
/// would no longer fit weights of 8 bits.
float Below(double scale) {
  const auto nearest = static_cast<float>(scale);
  return nearest > scale ? std::nextafter(nearest, 0.0f) : nearest;
}

float ChooseScale(const std::vector<double>& weights, double bias, const LayerScales& scales) {
  constexpr double kMostBias = 1 << 30;
  double largest = 0;
  for (const double w : weights) largest = std::max(largest, std::abs(w));
  const double unit = scales.y / scales.x;
  double least = std::max(largest / kMostCode, std::abs(bias) / (scales.x * kMostBias));
  // A dead channel, whose weights are 0 or would need scales that no float32 has, is one of zeros:
  // any scale does.
  constexpr double kLeastScale = 2 * std::numeric_limits<float>::min();
  if (least * std::min(scales.x, 1.0) < kLeastScale) least = unit / kMostCode;
  if (scales.factor_bits >= kExactFactorBits) return static_cast<float>(least);
  const double factor = RoundUpFactor(least / unit, scales.factor_bits);
  // Half the factor cuts the largest weights off and halves the steps of the others.
  const bool half = scales.factor_bits == 1 &&
                    std::abs(bias) < scales.x * factor / 2 * unit * kMostBias &&
                    SquaredError(weights, factor / 2 * unit) < SquaredError(weights, factor * unit);
  return Below((half ? factor / 2 : factor) * unit);
}

}  // namespace

int64_t FactorBits(const isa::Config& config) {
  if (config.arch.requant) return config.arch.requant_multiplier_bits - 1;
  return config.arch.mul ? kSmallBits : 1;
}

double RoundUpFactor(double factor, int64_t bits) {
  int exponent = 0;
  const double fraction = std::frexp(factor, &exponent);
  return std::ldexp(std::ceil(std::ldexp(fraction, static_cast<int>(bits))),
                    exponent - static_cast<int>(bits));
}

double AverageScale(double x_scale, double y_scale, int64_t taps, int64_t factor_bits) {
  if (factor_bits > kSmallBits) return y_scale;
  int exponent = 0;
  const double fraction = std::frexp(x_scale / (y_scale * static_cast<double>(taps)), &exponent);
  const double factor = std::ldexp(std::floor(std::ldexp(fraction, kSmallBits)),
                                   exponent - static_cast<int>(kSmallBits));
  return x_scale / (factor * static_cast<double>(taps));
}

LayerCodes QuantiseLayer(const Tensor& weights, int64_t axis, std::span<const double> bias,
                         const LayerScales& scales) {
  LayerCodes codes{Tensor(TensorType{DType::kInt8, weights.shape()}), {}, {}};
  const auto channels = ByChannel(weights, axis);
  for (size_t c = 0; c < channels.size(); ++c) {
    const float scale = ChooseScale(channels[c], bias[c], scales);
    const double unit = scales.x * scale;  // of the sums
    if (!std::isnormal(scale) || !std::isnormal(static_cast<float>(unit)))
      throw Error(
          StrCat("channel ", c), "scale of its weights", StrCat(scale),
          StrCat("must be a normal float32, and so must its product with the input's ", scales.x));
    codes.scales.push_back(scale);
    codes.bias.push_back(static_cast<int32_t>(
        std::clamp<double>(std::nearbyint(bias[c] / unit), std::numeric_limits<int32_t>::min(),
                           std::numeric_limits<int32_t>::max())));
  }
  const int64_t step = Strides(weights.shape())[axis];
  const auto count = std::ssize(channels);
  const auto out = codes.weights.mutable_data<int8_t>();
  for (int64_t i = 0; i < weights.elements(); ++i)
    out[i] = static_cast<int8_t>(CodeOf(weights.At(i), codes.scales[i / step % count]));
  return codes;
}

}  // namespace vta::compiler::quantize
