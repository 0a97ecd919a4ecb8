// The random programs are what they say: proved or refuted by the checker, and on the RTL the
// pipelines make the modules run at once.
#include "tests/rtl/program.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/rtl/trial.h"
#include "tests/support/files.h"

namespace vta::test {
namespace {

std::vector<isa::Config> Configs() {
  std::vector<isa::Config> configs;
  for (const char* folder : {"isa/configs", "tests/rtl/configs"})
    for (const auto& entry : std::filesystem::directory_iterator(SourcePath(folder)))
      configs.push_back(isa::LoadConfig(entry.path()));
  return configs;
}

TEST(RtlProgramTest, PipelinesAreFreeOfRacesOnEveryConfig) {
  for (isa::Config config : Configs()) {
    config.arch.token_capacity = 255;  // a push that waits makes no race
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const isa::Report report =
          RandomRtlProgram(config, ProgramKind::kOverlapped, seed).program.Check();
      EXPECT_TRUE(report.ok()) << config.name << ", seed " << seed << "\n"
                               << isa::ReportToText(report);
    }
  }
}

TEST(RtlProgramTest, RacyOnesRaceOrStop) {
  int64_t racing = 0, refuted = 0;
  const isa::Config config = Configs().front();
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const isa::Report report = RandomRtlProgram(config, ProgramKind::kRacy, seed).program.Check();
    refuted += !report.ok();
    for (const std::string& kind : KindsOf(report))
      if (kind == "race") {
        ++racing;
        break;
      }
  }
  EXPECT_GT(refuted, 150);
  EXPECT_GT(racing, 60);
}

TEST(RtlProgramTest, PipelinesOverlapTheModules) {
  const isa::Config config = isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"));
  Trial trial(config);
  constexpr uint64_t kPrograms = 100;
  uint64_t overlapping = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    EXPECT_EQ(trial.Run(RandomRtlProgram(config, ProgramKind::kOverlapped, seed), {}), "");
    overlapping += trial.overlapped_cycles() > 0;
  }
  EXPECT_GE(overlapping, 90 * kPrograms / 100);
}

}  // namespace
}  // namespace vta::test
