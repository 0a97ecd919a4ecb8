// Scales that go into the weights where the hardware only shifts.
#include "compiler/targets/vta/kernels/epilogue.h"

#include <gtest/gtest.h>

#include <cmath>

#include "isa/spec/alu_ops.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler::targets {
namespace {

double ScaleOf(const isa::RequantLane& lane) {
  return std::ldexp(static_cast<double>(lane.multiplier), lane.exponent - 31);
}

TEST(AbsorbScale, KeepsWeightsInRangeAndTheScaleWhole) {
  const isa::Config config = ConfigNamed("vta_0.0.2");
  for (const int exponent : {-31, -9, 0, 1, 7, 30})
    for (const int32_t multiplier : {1, 1 << 30, INT32_MAX})
      for (const int64_t largest : {1, 128, 8191})
        for (const int64_t limit : {127, 16319}) {
          if (largest > 128 && limit == 127) continue;
          isa::RequantLane lane;
          lane.multiplier = multiplier;
          lane.exponent = static_cast<int8_t>(exponent);
          const AbsorbedScale absorbed = AbsorbScale(config, lane, largest, limit);
          SCOPED_TRACE(StrCat(multiplier, " ", exponent, " ", largest, " ", limit));
          EXPECT_LE(absorbed.factor * static_cast<double>(largest), static_cast<double>(limit));
          EXPECT_EQ(absorbed.factor * ScaleOf(absorbed.lane), ScaleOf(lane));
          EXPECT_EQ(std::log2(ScaleOf(absorbed.lane)),
                    std::round(std::log2(ScaleOf(absorbed.lane))));
        }
}

TEST(AbsorbScale, ALargeScaleWouldShiftLeft) {
  const isa::Config config = ConfigNamed("vta_0.0.2");
  isa::RequantLane lane;
  lane.multiplier = 1 << 30;
  lane.exponent = 11;  // times 1024
  const AbsorbedScale absorbed = AbsorbScale(config, lane, 127, 127);
  EXPECT_EQ(absorbed.factor, 1);
  EXPECT_EQ(ShiftOf(config, absorbed.lane), -10);
  EXPECT_EQ(ShiftOf(ConfigNamed("default"), absorbed.lane), 0);  // which needs no shift
}

TEST(AbsorbScale, WithoutAScaleNothingIsLeft) {
  const isa::Config config = ConfigNamed("vta_0.0.2");
  const AbsorbedScale absorbed = AbsorbScale(config, {.bias = 12345, .multiplier = 0}, 127, 127);
  EXPECT_EQ(absorbed.factor, 0);
  EXPECT_EQ(absorbed.lane.bias, 0);
  EXPECT_EQ(ShiftOf(config, absorbed.lane), 0);
}

TEST(AbsorbScale, OfWeightsThatAreAll0TheBiasIsExact) {
  const isa::Config config = ConfigNamed("vta_0.0.2");
  const isa::RequantLane lane{.bias = 1000, .multiplier = 3 << 29, .exponent = -5};  // 23.4375
  const AbsorbedScale absorbed = AbsorbScale(config, lane, 0, 127);
  EXPECT_EQ(ShiftOf(config, absorbed.lane), 15);
  EXPECT_EQ(absorbed.lane.bias, 1000 * 3 * 256);  // 23.4375 * 2^15
}

TEST(PackParameters, AWideShiftIsTwoThatRoundLikeOne) {
  const isa::Config config = ConfigNamed("vta_0.0.2");
  const auto rows_of = [&](int exponent, bool wide) {
    const isa::RequantLane lane{
        .bias = 7, .multiplier = 1 << 30, .exponent = static_cast<int8_t>(exponent)};
    const std::vector<int32_t> all =
        PackParameters(config, std::vector<isa::RequantLane>(config.arch.block_out, lane),
                       std::vector<int64_t>(config.arch.block_out, 127), wide);
    std::vector<int32_t> rows;
    for (size_t at = 0; at < all.size(); at += config.arch.block_out) rows.push_back(all[at]);
    return rows;
  };
  EXPECT_EQ(rows_of(-8, false), (std::vector<int32_t>{7 + 256, 9}));
  EXPECT_EQ(rows_of(-8, true), (std::vector<int32_t>{7 + 256, 9, 0}));
  EXPECT_EQ(rows_of(-14, true), (std::vector<int32_t>{7 + (1 << 14), 15, 0}));
  EXPECT_EQ(rows_of(-15, true), (std::vector<int32_t>{7 + (1 << 15), 15, 1}));
  EXPECT_EQ(rows_of(-29, true), (std::vector<int32_t>{7 + (1 << 29), 15, 15}));
  EXPECT_EQ(rows_of(-30, true), rows_of(-29, true));  // all that two shifts can do
  for (const int32_t value : {INT32_MIN, -(1 << 17) - 1, -1, 0, 1, (1 << 17) - 1, INT32_MAX})
    for (int shift = 0; shift <= 30; ++shift) {
      const int first = std::min(shift, 15);
      EXPECT_EQ(isa::ShiftRight(isa::ShiftRight(value, first), shift - first),
                isa::ShiftRight(value, shift));
    }
}

}  // namespace
}  // namespace vta::compiler::targets
