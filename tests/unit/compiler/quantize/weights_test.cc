// Weights as codes: known scales, scales that narrow factors demand, and what has no scale.
#include "compiler/quantize/weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/quantize/multiplier.h"
#include "tests/support/error_of.h"
#include "tests/unit/compiler/quantize/quantise_testing.h"

namespace vta::compiler::quantize {
namespace {

std::vector<int8_t> Codes(const LayerCodes& codes) {
  const auto data = codes.weights.data<int8_t>();
  return {data.begin(), data.end()};
}

TEST(QuantiseLayer, ScalesOfKnownWeights) {
  const Tensor weights = Tensor::Of<float>({2, 3}, {1.27f, -0.634f, 0.005f, -25.4f, 12.8f, 0});
  const std::vector<double> bias = {0.3, -2};
  const LayerCodes rows = QuantiseLayer(weights, 0, bias, {.x = 0.5, .y = 1});
  EXPECT_FLOAT_EQ(rows.scales[0], 0.01f);
  EXPECT_FLOAT_EQ(rows.scales[1], 0.2f);
  EXPECT_EQ(Codes(rows), (std::vector<int8_t>{127, -63, 0, -127, 64, 0}));
  EXPECT_EQ(rows.bias, (std::vector<int32_t>{60, -20}));
  const LayerCodes columns = QuantiseLayer(weights, 1, std::vector<double>(3), {.x = 1, .y = 1});
  EXPECT_EQ(Codes(columns), (std::vector<int8_t>{6, -6, 127, -127, 127, 0}));
}

TEST(QuantiseLayer, FactorsOfShiftsArePowersOfTwo) {
  const Tensor weights = RandomTensor({40, 9}, 0.3f, 5);
  const LayerScales scales{.x = 0.0173f, .y = 0.0911f, .factor_bits = 1};
  const LayerCodes codes = QuantiseLayer(weights, 0, std::vector<double>(40), scales);
  for (size_t c = 0; c < 40; ++c) {
    const double factor = scales.x * codes.scales[c] / scales.y;
    const double nearest = std::exp2(std::nearbyint(std::log2(factor)));
    EXPECT_NEAR(factor / nearest, 1, 1e-6);
    EXPECT_LE(factor, nearest);  // which keeps weights within 8 bits
  }
}

TEST(QuantiseLayer, FactorsOfNarrowMultipliersHaveTheirBits) {
  const Tensor weights = RandomTensor({40, 9}, 0.3f, 6);
  const LayerScales scales{.x = 0.0173f, .y = 0.0911f, .factor_bits = 15};
  const LayerCodes codes = QuantiseLayer(weights, 0, std::vector<double>(40), scales);
  for (size_t c = 0; c < 40; ++c) {
    const FixedPoint factor = ToFixedPoint(scales.x * codes.scales[c] / scales.y);
    // The nearest multiplier of 16 bits is nearly the one that is wanted.
    const int64_t unit = 1 << 16, rest = (factor.multiplier + unit / 2) % unit - unit / 2;
    EXPECT_LE(std::abs(rest), 256) << factor.multiplier;
    const float free =
        QuantiseLayer(weights, 0, std::vector<double>(40), {scales.x, scales.y}).scales[c];
    EXPECT_NEAR(codes.scales[c] / free, 1, 1e-4);
  }
}

TEST(RoundUpFactor, ByBits) {
  EXPECT_EQ(RoundUpFactor(0.3, 1), 0.5);
  EXPECT_EQ(RoundUpFactor(0.5, 1), 0.5);
  EXPECT_EQ(RoundUpFactor(0.3, 2), 0.375);
  EXPECT_EQ(RoundUpFactor(5.1, 3), 6);
}

TEST(AverageScale, FitsSevenBits) {
  // 125 taps of one scale: 1/125 is 65.536 / 2^13; 65 / 2^13 is the next below.
  EXPECT_DOUBLE_EQ(AverageScale(1, 1, 125, 1), 8192.0 / 65 / 125);
  EXPECT_DOUBLE_EQ(AverageScale(1, 1, 64, 1), 1);
  EXPECT_DOUBLE_EQ(AverageScale(1, 0.9, 125, kExactFactorBits), 0.9);
}

TEST(QuantiseLayer, ChannelsWithoutWeightsKeepTheirBias) {
  const LayerCodes codes = QuantiseLayer(Tensor::Of<float>({2, 1}, {0, 0}), 0,
                                         std::vector<double>{3, 0}, {.x = 0.5, .y = 0.25});
  EXPECT_EQ(Codes(codes), (std::vector<int8_t>{0, 0}));
  EXPECT_NEAR(codes.bias[0] * 0.5 * codes.scales[0], 3, 1e-6);
  EXPECT_EQ(codes.bias[1], 0);
}

TEST(QuantiseLayer, ALargeBiasWidensTheScale) {
  const LayerCodes codes = QuantiseLayer(Tensor::Of<float>({1, 1}, {1e-6f}), 0,
                                         std::vector<double>{1e6}, {.x = 1e-3, .y = 1});
  EXPECT_NEAR(codes.bias[0] * 1e-3 * codes.scales[0], 1e6, 1);
}

/// As training leaves them.
TEST(QuantiseLayer, ADeadChannelIsOneOfZeros) {
  for (const double x : {1.0, 1e-3}) {
    const LayerCodes codes = QuantiseLayer(Tensor::Of<float>({3, 1}, {1, 1e-38f, -1e-40f}), 0,
                                           std::vector<double>{0, 0, 2}, {.x = x, .y = 1});
    EXPECT_EQ(Codes(codes), (std::vector<int8_t>{127, 0, 0}));
    EXPECT_EQ(codes.bias[1], 0);
    EXPECT_NEAR(codes.bias[2] * x * codes.scales[2], 2, 1e-6);
  }
}

TEST(QuantiseLayer, RefusesScalesOutOfRange) {
  EXPECT_EQ(ErrorOf([] {
              QuantiseLayer(Tensor::Of<float>({2, 1}, {1, 1.27e38f}), 0, std::vector<double>(2),
                            {.x = 1e4, .y = 1});
            }),
            "channel 1: scale of its weights = 1.00000004e+36: must be a normal float32, and so "
            "must its product with the input's 10000");
}

}  // namespace
}  // namespace vta::compiler::quantize
