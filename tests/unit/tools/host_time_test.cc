// The time of a board's CPU, by pencil, from rates made up here.
#include "tools/host/host_time.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tests/support/files.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// 2 GB/s at 500 MHz; operations a cycle, in the order of the kinds.
constexpr HostCpu kTestHost{"test", "Test", 1, 500, 2.0, {2, 4, 1, 8, 0.5}};

TEST(KernelMilliseconds, IsTheLongerOfBytesAndOperations) {
  EXPECT_DOUBLE_EQ(KernelMilliseconds(kTestHost, 3'000'000, {}), 1.5);
  // 1,000,000 / 2 + 400,000 / 4 + 50,000 + 800,000 / 8 + 125,000 / 0.5 = 1,000,000 cycles.
  const isa::WorkCounts work = {1'000'000, 400'000, 50'000, 800'000, 125'000};
  EXPECT_DOUBLE_EQ(KernelMilliseconds(kTestHost, 0, work), 2);
  EXPECT_DOUBLE_EQ(KernelMilliseconds(kTestHost, 3'000'000, work), 2);
  EXPECT_DOUBLE_EQ(KernelMilliseconds(kTestHost, 5'000'000, work), 2.5);
  EXPECT_FALSE(IsBoundByBytes(kTestHost, 3'000'000, work));
  EXPECT_TRUE(IsBoundByBytes(kTestHost, 5'000'000, work));
  EXPECT_TRUE(IsBoundByBytes(kTestHost, 1, {}));
}

TEST(HostedRun, OverlapsWithTwoInFlight) {
  const HostedRun run{kTestHost, 3, 5};
  EXPECT_DOUBLE_EQ(run.alone_ms(), 8);
  EXPECT_DOUBLE_EQ(run.interval_ms(), 5);
  EXPECT_DOUBLE_EQ(run.At(kHalfRate).alone_ms(), 11);
  EXPECT_DOUBLE_EQ(run.At(kHalfRate).interval_ms(), 6);
  EXPECT_DOUBLE_EQ(run.At(kDoubleRate).alone_ms(), 6.5);
  EXPECT_EQ(HostedLines({run}, "a run of 2 inferences"),
            "ms on the host, by a model (at double, at half its rates), beside 5.000 on the "
            "accelerator, of a run of 2 inferences:\n"
            "  Test at 500 MHz: 3.000 (1.500, 6.000); one run 8.000 (6.500, 11.00), each of two in "
            "flight 5.000 (5.000, 6.000)\n");
  EXPECT_EQ(HostedLines({}), "");
  EXPECT_EQ(HostedJson(run).Dump(-1),
            R"({"cpu":"test","name":"Test at 500 MHz","is_model":true,"host_ms":3.0,)"
            R"("alone_ms":8.0,"interval_ms":5.0,)"
            R"("at_half":{"host_ms":6.0,"alone_ms":11.0,"interval_ms":6.0},)"
            R"("at_double":{"host_ms":1.5,"alone_ms":6.5,"interval_ms":5.0}})");
}

std::vector<std::string> NamesOf(const std::string& config) {
  std::vector<std::string> names;
  for (const HostCpu& cpu : HostsOf(FindConfig(config))) names.push_back(TextOf(cpu));
  return names;
}

TEST(HostsOf, IsTheBoardsOrEach) {
  const std::string a9 = "Cortex-A9 at 650 MHz", a53 = "Cortex-A53 at 1200 MHz";
  EXPECT_THAT(NamesOf("pynq"), ElementsAre(a9));
  for (const char* board : {"ultra96", "ultra96_32x16", "kv260", "zcu104"})
    EXPECT_THAT(NamesOf(board), ElementsAre(a53)) << board;
  EXPECT_THAT(NamesOf("default"), ElementsAre(a9, a53));
  for (const isa::MemoryPreset& preset : isa::kMemoryPresets)
    EXPECT_EQ(std::ranges::count(kBoardHosts, preset.name, &BoardHost::preset), 1) << preset.name;
}

TEST(HostCpus, AreThoseOfTheirPage) {
  const std::string page = ReadTextFile(SourcePath("docs/host.md"));
  const auto has = [&](const std::string& name, double a9, double a53) {
    EXPECT_THAT(page, HasSubstr(fmt::format("\n| {} | {:g} | {:g} |\n", name, a9, a53)));
  };
  EXPECT_THAT(page, HasSubstr(StrCat("\n| of all cores together | ", TextOf(kHostCpus[0]),
                                     ", two cores | ", TextOf(kHostCpus[1]), ", four |\n")));
  has("GB moved in a second, read and written", kHostCpus[0].gb_per_s, kHostCpus[1].gb_per_s);
  for (const isa::WorkSpec& kind : isa::kWorkTable) {
    const auto i = static_cast<size_t>(kind.code);
    has(StrCat("`", kind.name, "`", i == 0 ? " a cycle" : ""), kHostCpus[0].per_cycle[i],
        kHostCpus[1].per_cycle[i]);
  }
}

// A program between two kernels: 2 MB and nothing to compute, and 500 kB and a million functions.
isa::Package TwoKernels() {
  isa::Package package;
  package.kernels = {{"a", 1, 0, {1'500'000, 500'000}}, {"b", 1, 0, {500'000}}};
  package.steps.resize(3);
  for (const size_t i : {0, 2}) package.steps[i].kind = isa::PackageStep::Kind::kKernel;
  package.steps[2].kernel = 1;
  package.steps[0].facts.work = isa::WorkCounts{};
  package.steps[2].facts.work = isa::WorkCounts{0, 0, 0, 0, 1'000'000};
  return package;
}

TEST(HostMilliseconds, AreThoseOfAllKernelsWhereAllAreCounted) {
  isa::Package package = TwoKernels();
  EXPECT_DOUBLE_EQ(HostMilliseconds(kTestHost, package).value(), 1 + 4);
  const std::vector<HostedRun> runs = HostedRunsOf(FindConfig("pynq"), package, 7);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].cpu.key, "cortex_a9");
  EXPECT_EQ(runs[0].accelerator_ms, 7);
  EXPECT_DOUBLE_EQ(runs[0].host_ms, HostMilliseconds(kHostCpus[0], package).value());
  package.steps[0].facts.work.reset();  // an older tool made it
  EXPECT_EQ(HostMilliseconds(kTestHost, package), std::nullopt);
  EXPECT_TRUE(HostedRunsOf(FindConfig("default"), package, 7).empty());
}

}  // namespace
}  // namespace vta::tools
