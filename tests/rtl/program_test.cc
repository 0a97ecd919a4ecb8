// The random programs are what they say: proved or refuted by the checker, and on the RTL the
// pipelines make the modules run at once.
#include "tests/rtl/program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <set>

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
    // A push that waits makes no race, nor does fetch.
    config.arch.token_capacity = 255, config.uarch.command_queue_depth = 512;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const isa::Report report =
          RandomRtlProgram(config, ProgramKind::kOverlapped, seed).program.Check();
      EXPECT_TRUE(report.ok()) << config.name << ", seed " << seed << "\n"
                               << isa::ReportToText(report);
    }
  }
}

// The proof and the engines have one rule for what a command queue has space for.
TEST(RtlProgramTest, StreamsThatAShortQueueStopsAreRefuted) {
  isa::Config config = isa::LoadConfig(SourcePath("tests/rtl/configs/queues_2.json"));
  config.arch.token_capacity = 255;
  int64_t stopped = 0;
  for (config.uarch.command_queue_depth = 2; config.uarch.command_queue_depth <= 8;
       config.uarch.command_queue_depth *= 2)
    for (uint64_t seed = 0; seed < 200; ++seed) {
      const RtlProgram program = RandomRtlProgram(config, ProgramKind::kOverlapped, seed);
      Image image = ImageOf(program);
      const isa::LaunchResult result = sim::Machine(config).Run(image.launch, image.dram);
      const isa::Report report = program.program.Check();
      EXPECT_EQ(report.ok(), result.outcome == isa::Outcome::kFinished)
          << "seed " << seed << "\n"
          << isa::ReportToText(report) << Describe(result);
      if (report.ok()) continue;
      ++stopped;
      EXPECT_TRUE(result.fetch.full) << Describe(result);
      EXPECT_EQ(KindsOf(report).front(), "deadlock");
    }
  EXPECT_GT(stopped, 20);
}

TEST(RtlProgramTest, RacyOnesRaceOrStop) {
  int64_t racing = 0, refuted = 0;
  const isa::Config config = isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"));
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
  EXPECT_GT(racing, 50);
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

// Other bytes wherever no micro-op is read from.
void ChangeData(TestProgram& program, uint64_t seed) {
  std::vector<bool> is_uop(program.memory.size());
  for (const isa::Instruction& insn : program.instructions)
    if (insn.opcode == static_cast<int64_t>(isa::Opcode::kLoad) &&
        insn.memory_type == static_cast<int64_t>(isa::MemoryType::kUop))
      for (int64_t y = 0; y < insn.y_size; ++y)
        for (int64_t b = 0; b < 4 * insn.x_size; ++b)
          is_uop.at(program.bases[0] + 4 * (insn.dram_base + y * insn.x_stride) + b) = true;
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < program.memory.size(); ++i)
    if (!is_uop[i]) program.memory[i] = static_cast<uint8_t>(random());
}

TEST(RtlProgramTest, TimeDependsOnNoData) {
  const isa::Config config = isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"));
  Trial trial(config);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RtlProgram program = RandomRtlProgram(config, ProgramKind::kOverlapped, seed);
    std::set<int64_t> cycles;
    for (uint64_t data = 0; data < 3; ++data) {
      EXPECT_EQ(trial.Run(program, {}), "");
      cycles.insert(trial.result().counters.time.value().cycles);
      ChangeData(program.program, 3 * seed + data);
    }
    EXPECT_EQ(cycles.size(), 1) << "program " << seed;
  }
}

}  // namespace
}  // namespace vta::test
