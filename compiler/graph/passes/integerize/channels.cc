// Integerize: a line for each channel, as a normalisation that no layer before it takes, is a
// convolution of one tap for each channel.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/graph/passes/integerize/integerizer.h"

namespace vta::compiler {
namespace {

/// y = gain * x + offset.
struct Line {
  double gain, offset;
};

/// Of reals at even distances; nothing where y leaves the line by more than float32 rounds.
std::optional<Line> AsLine(std::span<const float> x, const Tensor& values, int64_t channel) {
  constexpr double kNoise = 1e-6;
  const auto channels = values.shape()[1], last = std::ssize(x) - 1;
  const auto y = [&](int64_t i) { return values.At(i * channels + channel); };
  const double gain = (y(last) - y(0)) / (double{x[last]} - double{x[0]});
  const Line line{gain, y(0) - gain * x[0]};
  const double size = std::max({std::abs(y(0)), std::abs(y(last)), std::abs(line.offset)});
  if (!(size <= std::numeric_limits<float>::max())) return std::nullopt;
  for (int64_t i = 0; i <= last; ++i)
    if (!(std::abs(line.gain * x[i] + line.offset - y(i)) <= kNoise * size)) return std::nullopt;
  return line;
}

/// A weight, where there is a gain; its scale says exactly how large the gain is.
struct Weight {
  int8_t code;
  double scale;
};

/// The code is such that the factor that is left is next to a power of two: hardware that only
/// shifts, or multiplies by few bits, is then off by less than a hundredth.
Weight WeightOf(double gain, double x_scale, double y_scale) {
  if (gain == 0) return {0, y_scale / x_scale};
  constexpr double kMost = 127;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(gain) * x_scale / y_scale, &exponent);
  const double code = std::min(std::nearbyint(fraction * (kMost + 1)), kMost);
  return {static_cast<int8_t>(gain < 0 ? -code : code), std::abs(gain) / code};
}

}  // namespace

ValueId Integerizer::ChannelLines(const Node& node, const Codes& x, std::span<const float> reals,
                                  const Tensor& values, const WantedCodes& target) {
  const int64_t channels = values.shape()[1];
  if (fresh_.shape(x.value).size() != 4) return kNone;
  std::vector<int8_t> codes;
  std::vector<double> scales;
  std::vector<float> offsets;
  for (int64_t c = 0; c < channels; ++c) {
    const std::optional<Line> line = AsLine(reals, values, c);
    if (!line) return kNone;
    const Weight weight = WeightOf(line->gain, x.scale, target.scale);
    codes.push_back(weight.code);
    scales.push_back(weight.scale);
    offsets.push_back(static_cast<float>(line->offset));
  }
  const ValueId bias = fresh_.AddConstant("offset", Tensor::Of({channels}, offsets));
  const auto layer = MakeLayer(x, Tensor::Of({channels, 1, 1, 1}, codes), scales, bias, target);
  if (!layer) return kNone;
  return EmitConv(node, x, *layer,
                  {{"strides", Shape{1, 1}},
                   {"pads", Shape{0, 0, 0, 0}},
                   {"dilations", Shape{1, 1}},
                   {"groups", channels}},
                  target);
}

}  // namespace vta::compiler
