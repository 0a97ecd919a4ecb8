#include "tools/area/predict.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <string>

#include "tools/area/kept_area.h"
#include "tools/area/memories.h"
#include "tools/timing/estimates.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

// Predictions are of designs that the shipped configs are not among.
TEST(Predict, IsNearWhatYosysCountsOfShippedConfigs) {
  std::map<std::string, int64_t> designs, shipped;
  constexpr double kMost = 0.05;
  for (const KeptArea& area : KeptAreas()) {
    ++(ShippedNameOf(area.config) ? shipped : designs)[area.family];
    if (!ShippedNameOf(area.config)) continue;
    for (const std::string& name : PartNames()) {
      if (FindPart(name).family != area.family) continue;
      const AreaPrediction predicted = PredictArea(area.config, FindPart(name));
      const Resources is = area.takes(), &said = predicted.resources;
      const std::string where = area.config.name + " on " + name;
      EXPECT_LE(std::abs(said.lut - is.lut), std::min(kMost, predicted.lut_error) * is.lut + 1)
          << where;
      EXPECT_LE(std::abs(said.ff - is.ff), std::min(kMost, predicted.ff_error) * is.ff + 1)
          << where;
    }
  }
  for (const char* family : {"xc7", "xcup", "ecp5"}) {
    EXPECT_GE(designs[family], 10) << family;
    EXPECT_GE(shipped[family], 2) << family;
  }
}

TEST(Predict, CountsBlocks) {
  for (const KeptArea& area : KeptAreas()) {
    const Resources said = FittedResources(area.config, area.family), is = area.takes();
    EXPECT_EQ(said.dsp, is.dsp) << area.config.name << " on " << area.family;
    EXPECT_EQ(said.bram, is.bram) << area.config.name << " on " << area.family;
  }
}

// What Yosys 0.23 makes of one memory, counted by hand from its cells.
TEST(Memories, AreOfTablesOrBlocks) {
  const auto of = [](int64_t width, int64_t depth, const char* family) {
    return ResourcesOf(CoreMemory{.width = width, .depth = depth}, family);
  };
  EXPECT_EQ(of(160, 16, "xc7"), (Resources{.lut = 27 * 4 + 1, .ff = 160}));
  EXPECT_EQ(of(65, 64, "xc7"), (Resources{.lut = 22 * 4 + 1, .ff = 65}));
  EXPECT_EQ(of(160, 64, "xcup"), (Resources{.lut = 23 * 8 + 1, .ff = 160}));
  EXPECT_EQ(of(160, 128, "xc7"), (Resources{.lut = 1, .bram = 2.5}));
  EXPECT_EQ(of(16, 128, "xc7"), (Resources{.lut = 12 * 4 + 18, .ff = 16}));
  EXPECT_EQ(of(256, 1024, "xcup"), (Resources{.lut = 1, .bram = 7.5}));
  EXPECT_EQ(of(160, 8192, "xc7"), (Resources{.lut = 162, .ff = 1, .bram = 36}));
  EXPECT_EQ(of(65, 16, "ecp5"), (Resources{.lut = 17 * 6 + 1, .ff = 65}));
  EXPECT_EQ(of(65, 32, "ecp5"), (Resources{.lut = 34 * 6 + 67, .ff = 65}));
  EXPECT_EQ(of(32, 64, "ecp5"), (Resources{.lut = 1, .bram = 0.5}));
}

TEST(Predict, PrintsWhatIsTakenOfThePart) {
  const std::string text = PredictionTable(FindConfig("pynq"), FindPart("xc7z020"));
  EXPECT_THAT(text, testing::StartsWith("config pynq, part xc7z020 (PYNQ-Z1)\n\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\ncounted +29764 +17476 +160 +130.0\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\nthe part offers +53200 +106400 +220 +140.0\n"));
}

}  // namespace
}  // namespace vta::tools
