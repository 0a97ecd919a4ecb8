#include "tools/area/predict.h"

#include <gtest/gtest.h>

#include <cmath>

#include "isa/support/error.h"
#include "tools/area/kept_area.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

// Against what Yosys counted of the shipped configs.
TEST(Predict, IsWithinItsErrors) {
  const Part& part = FindPart("xc7z020");
  int64_t known = 0;
  for (const std::string& name : ShippedConfigs()) {
    const isa::Config config = FindConfig(name);
    const auto kept = AreaEstimateOf(config, part);
    if (!kept) continue;
    ++known;
    const AreaPrediction predicted = PredictArea(config, part);
    const Resources &is = kept->resources, &said = predicted.resources;
    EXPECT_LE(std::abs(said.lut - is.lut), predicted.lut_error * is.lut) << name;
    EXPECT_LE(std::abs(said.ff - is.ff), predicted.ff_error * is.ff) << name;
    EXPECT_EQ(said.dsp, is.dsp) << name;
    EXPECT_LE(said.bram, is.bram) << name;
  }
  EXPECT_GE(known, 2);
}

TEST(Predict, RefusesOtherFamilies) {
  EXPECT_THROW(PredictArea(FindConfig("ultra96"), FindPart("xczu3eg")), Error);
}

}  // namespace
}  // namespace vta::tools
