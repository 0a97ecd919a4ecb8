// Weights and biases of a layer as codes: symmetric int8 with a scale for each output channel, and
// int32.
#pragma once

#include <span>
#include <vector>

#include "compiler/graph/tensor.h"
#include "isa/config.h"

namespace vta::compiler::quantize {

/// The significant bits of the factors x_scale * weight_scale / y_scale that hardware of a config
/// applies exactly: 1 where it only shifts.
int64_t FactorBits(const isa::Config& config);
/// Of the int32 multipliers of exact requantisation.
inline constexpr int64_t kExactFactorBits = 31;

/// What a layer's weight scales must fit.
struct LayerScales {
  double x, y;
  int64_t factor_bits = kExactFactorBits;
};

struct LayerCodes {
  Tensor weights;             // int8
  std::vector<float> scales;  // by channel
  std::vector<int32_t> bias;  // in units of x * scale
};

/// Shape: weights float32, their channels along `axis`; bias a number for each channel.
/// Errors: throws Error where a scale is no normal float32.
LayerCodes QuantiseLayer(const Tensor& weights, int64_t axis, std::span<const double> bias,
                         const LayerScales& scales);

/// The least number of at most `bits` significant bits that is not below `factor`, which is above
/// 0.
double RoundUpFactor(double factor, int64_t bits);

/// The y_scale of an average over `taps` that is next to the one asked for and not below it, such
/// that x_scale / (y_scale * taps) has at most 7 bits where the config's factors are narrower than
/// that or as narrow.
double AverageScale(double x_scale, double y_scale, int64_t taps, int64_t factor_bits);

}  // namespace vta::compiler::quantize
