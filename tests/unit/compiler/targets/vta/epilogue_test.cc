// Scales that go into the weights where the hardware only shifts.
#include "compiler/targets/vta/epilogue.h"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(AbsorbScale, ALargeScaleShiftsLeft) {
  const isa::Config config = ConfigNamed("vta_0.0.2");
  isa::RequantLane lane;
  lane.multiplier = 1 << 30;
  lane.exponent = 11;  // times 1024
  const AbsorbedScale absorbed = AbsorbScale(config, lane, 127, 127);
  EXPECT_EQ(absorbed.factor, 1);
  const std::vector<int32_t> rows =
      PackParameters(config, std::vector<isa::RequantLane>(config.arch.block_out, absorbed.lane),
                     std::vector<int64_t>(config.arch.block_out, 127));
  EXPECT_EQ(rows[0], 0);                        // bias, without half of what a shift drops
  EXPECT_EQ(rows[config.arch.block_out], -10);  // shr by -10
}

}  // namespace
}  // namespace vta::compiler::targets
