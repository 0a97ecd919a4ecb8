#include "tools/timing/predict_clock.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "isa/support/json.h"
#include "tests/support/error_of.h"
#include "tools/timing/calibration.h"
#include "tools/timing/estimates.h"
#include "tools/timing/kept_clocks.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

// Predictions are of designs that the shipped configs are not among.
TEST(PredictClock, IsNearTheEstimatesOfShippedConfigs) {
  constexpr double kMost = 0.1;
  std::map<std::string_view, int64_t> shipped;
  for (const auto& [config, part, mhz] : ShippedEstimates()) {
    ++shipped[part->family];
    const ClockPrediction said = PredictClock(config, *part);
    EXPECT_LE(std::abs(said.mhz / mhz - 1), std::min(kMost, said.error + 1e-12)) << config.name;
    EXPECT_DOUBLE_EQ(said.with_error_mhz, said.mhz / (1 + TimingError(CalibrationPoints())));
  }
  EXPECT_GE(shipped.size(), 3u);
  for (const KeptClock& clock : KeptClocks()) EXPECT_FALSE(ShippedNameOf(clock.config).has_value());
}

TEST(PredictClock, DoesNotRiseWithLanesOrLongerSums) {
  for (const std::string& part : PartNames()) {
    isa::Config config = FindConfig("ultra96");
    const auto mhz = [&] { return PredictClock(config, FindPart(part)).mhz; };
    for (int64_t isa::Arch::*of :
         {&isa::Arch::block_in, &isa::Arch::block_out, &isa::Arch::batch}) {
      const double before = mhz();
      config.arch.*of *= 2;
      EXPECT_LE(mhz(), before) << part;
      EXPECT_GT(mhz(), 20) << part;
    }
  }
}

TEST(KeptClocks, AreLinesOfDesigns) {
  const std::string line =
      StrCat(R"({"family":"xc7","mhz":128.9,"yosys":"0.23","design":"0x1f","config":)",
             Json::Parse(isa::ConfigToJson(FindConfig("pynq")), "pynq").Dump(-1), "}");
  const auto clocks = ParseClocks(StrCat("\n", line, "\n"), "c.jsonl");
  ASSERT_EQ(clocks.size(), 1u);
  EXPECT_EQ(clocks[0].mhz, 128.9);
  EXPECT_EQ(isa::ConfigToJson(clocks[0].config), isa::ConfigToJson(FindConfig("pynq")));
  const auto message = [&](const std::string& was, const std::string& is) {
    std::string wrong = line;
    wrong.replace(wrong.find(was), was.size(), is);
    return ErrorOf([&] { ParseClocks("\n" + wrong, "c.jsonl"); });
  };
  EXPECT_EQ(message("128.9", "0"), "c.jsonl:2: mhz = 0: must be 1 to 2000");
  EXPECT_EQ(message("\"mhz\":128.9,", ""), "c.jsonl:2: mhz: is missing");
  EXPECT_EQ(message("xc7", "xc8"), "c.jsonl:2: family = \"xc8\": is no part's");
  EXPECT_EQ(ErrorOf([&] { ParseClocks(line + "\n" + line, "c.jsonl"); }),
            "c.jsonl:2: config = pynq: stands twice");
  EXPECT_EQ(message("\"block_in\":16", "\"block_in\":3"),
            "c.jsonl:2: arch.block_in = 3: must be a power of two in [4, 64]");
}

}  // namespace
}  // namespace vta::tools
