// The clocks kept for configs: their file, what they follow from, and what is said of a config's.
#include "tools/timing/estimates.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tests/support/files.h"
#include "tools/timing/calibration.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

std::string MessageOf(const std::string& text) {
  try {
    ParseEstimates(text, "e.txt");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Estimates, AreRowsOfShippedConfigs) {
  const auto rows = ParseEstimates("# pynq\n\npynq xc7z020 99.5 0.23 0x1f # why\n", "e.txt");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].config, "pynq");
  EXPECT_EQ(rows[0].part, "xc7z020");
  EXPECT_EQ(rows[0].mhz, 99.5);
  EXPECT_EQ(rows[0].design, "0x1f");
  const std::string rule = "must be CONFIG PART MHZ YOSYS DESIGN";
  EXPECT_EQ(MessageOf("\npynq xc7z020 fast 0.23 0x1"), "e.txt: line 2: " + rule);
  EXPECT_EQ(MessageOf("pynq xc7z020 0 0.23 0x1"), "e.txt: line 1: " + rule);
  EXPECT_EQ(MessageOf("pynq xc7z020 nan 0.23 0x1"), "e.txt: line 1: " + rule);
  EXPECT_EQ(MessageOf("pynq xc7z020 90 0.23"), "e.txt: line 1: " + rule);
  EXPECT_EQ(MessageOf("mine xc7z020 90 0.23 0x1"), "e.txt: line 1 = mine: is no shipped config");
  EXPECT_EQ(MessageOf("pynq xc6 90 0.23 0x1"),
            "e.txt: line 1 = xc6: must be one of xc7z020, xczu3eg, xczu7ev, xck26, lfe5u-85f");
  const std::string row = "pynq xc7z020 90 0.23 0x1\n";
  EXPECT_EQ(MessageOf(row + row), "e.txt: line 2 = pynq: stands twice");
}

TEST(Estimates, ANewOneTakesThePlaceOfTheOld) {
  const KeptEstimate row{"pynq", "xc7z020", 101.26, "0.23", "0x2"};
  EXPECT_EQ(WithEstimate("# pynq\npynq xczu3eg 1 0 0\ndefault xc7z020 1 0 0\n", row),
            "# pynq\npynq xc7z020 101.3 0.23 0x2\ndefault xc7z020 1 0 0\n");
  EXPECT_EQ(WithEstimate("# pynq\n", row), "# pynq\npynq xc7z020 101.3 0.23 0x2\n");
}

// A design of one file, named where `tools` look for it while this lives.
class OtherSources {
 public:
  OtherSources() {
    Write("hw/vta.f", "rtl/a.sv\ncheck/none.sv\n");
    Write("hw/rtl/a.sv", "assign a = b;\n");
    Write("hw/synth/timing.sh", "yosys");
    Write("hw/synth/floors.txt", "small_8x8 30 6 3 y n\n");
    Write("hw/synth/estimates.txt", "");
    setenv("VTA_HOME", folder_.c_str(), 1);
  }
  ~OtherSources() {
    unsetenv("VTA_HOME");
    fs::remove_all(folder_);
  }
  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(folder_ + "/" + name).parent_path());
    WriteFileAtomically(folder_ + "/" + name, text);
  }
  const std::string& folder() const { return folder_; }

 private:
  const std::string folder_ = StrCat(testing::TempDir(), "estimates-", getpid());
};

TEST(Estimates, AreOfAnOlderRtlOnceItChanged) {
  const OtherSources sources;
  const isa::Config config = FindConfig("small_8x8");
  EXPECT_FALSE(EstimateOf(config));
  KeepEstimate(config, FindPart("lfe5u-85f"), 80, "0.23");
  ASSERT_TRUE(EstimateOf(config));
  EXPECT_TRUE(EstimateOf(config)->is_current);
  EXPECT_EQ(EstimateOf(config)->mhz, 80);
  EXPECT_EQ(EstimateOf(config)->routed_mhz, 30);
  sources.Write("hw/rtl/a.sv", "assign a = c;\n");
  EXPECT_FALSE(EstimateOf(config)->is_current);
  sources.Write("hw/synth/floors.txt", "small_8x8 30 7 3 y n\n");
  EXPECT_FALSE(EstimateOf(config)->routed_mhz);
}

TEST(Estimates, FollowFromHardwareAndNothingElse) {
  const OtherSources sources;
  const isa::Config pynq = FindConfig("pynq");
  const auto hash = [&](const isa::Config& config, const std::string& rtl,
                        const std::string& part = "xc7z020") {
    sources.Write("hw/rtl/a.sv", rtl);
    return DesignHash(config, FindPart(part), sources.folder());
  };
  const uint64_t base = hash(pynq, "assign a = b;\n");
  isa::Config other = pynq;
  other.name = "other";
  other.uarch.clock_mhz = 77;
  other.memory.read_latency_cycles += 1;
  EXPECT_EQ(hash(other, "// Why.\n\nassign a = b;  // so\n"), base);
  EXPECT_NE(hash(pynq, "assign a = c;\n"), base);
  EXPECT_NE(hash(pynq, "assign a = b;\n", "xczu3eg"), base);
  other.uarch.max_burst_beats = 8;
  EXPECT_NE(hash(other, "assign a = b;\n"), base);
  sources.Write("hw/synth/timing.sh", "yosys -V");
  EXPECT_NE(hash(pynq, "assign a = b;\n"), base);
}

TEST(Estimates, AreOfTheHardwareWhateverItsName) {
  isa::Config config = FindConfig("small_8x8");
  config.name = "mine";
  config.memory.read_latency_cycles += 1;
  config.uarch.clock_mhz = 1;
  ASSERT_TRUE(EstimateOf(config));
  EXPECT_EQ(EstimateOf(config)->part->name, "lfe5u-85f");
  EXPECT_EQ(EstimateOf(config)->clock_mhz, 1);
  EXPECT_TRUE(EstimateOf(config)->routed_mhz);
  EXPECT_FALSE(EstimateOf(FindConfig("pynq"))->routed_mhz);
  config.uarch.max_burst_beats = 8;
  EXPECT_FALSE(EstimateOf(config));
}

TEST(Estimates, WarnOfAClockAboveThem) {
  const auto note = [](int64_t clock_mhz, bool is_current, std::optional<double> routed = {}) {
    const ClockEstimate estimate{&FindPart("xc7z020"), clock_mhz, 90, 72.4, routed, is_current};
    const Json json = ClockJson(estimate);
    const std::string text = ClockNote(estimate);
    EXPECT_EQ(*json.Find("is_exceeded")->as_bool(), text.starts_with("warning: "));
    EXPECT_EQ(json.Find("note") ? *json.Find("note")->as_string() : "", text);
    EXPECT_LE(text.size(), 120u);
    return text;
  };
  EXPECT_EQ(note(72, true), "");
  EXPECT_EQ(note(72, true, 72), "");
  EXPECT_EQ(note(73, true), "warning: 73 MHz is above the estimate of 72 MHz for xc7z020 speed -1");
  EXPECT_EQ(note(2000, false, 32),
            "warning: 2000 MHz is above the estimate of 72 MHz for xc7z020 speed -1, of an older "
            "RTL; place and route reached 32 MHz");
  EXPECT_EQ(note(72, true, 60),
            "warning: 72 MHz is above the 60 MHz that place and route reached for xc7z020 speed "
            "-1; the estimate is 72 MHz");
  EXPECT_EQ(note(72, false),
            "note: the estimate of 72 MHz for xc7z020 speed -1 is of an older RTL");
}

TEST(Estimates, StandInThePageOnTheHardware) {
  const std::string file = SourcePath("hw/synth/estimates.txt"),
                    page = ReadTextFile(SourcePath("hw/README.md"));
  const auto rows = ParseEstimates(ReadTextFile(file), file);
  EXPECT_FALSE(rows.empty());
  for (const KeptEstimate& row : rows) {
    const Part& part = FindPart(row.part);
    EXPECT_THAT(page, testing::HasSubstr(fmt::format(
                          "\n| `{}` | {} speed {} | {:.1f} ns | {:.0f} MHz | {:.0f} MHz | {} MHz",
                          row.config, part.name, part.speed, 1000 / row.mhz, row.mhz,
                          row.mhz / (1 + TimingError(CalibrationPoints())),
                          FindConfig(row.config).uarch.clock_mhz)));
  }
}

}  // namespace
}  // namespace vta::tools
