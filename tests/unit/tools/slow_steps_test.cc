// What a CPU needs for a kernel, and which steps of a run are said to be far from that.
#include "tools/vta/run/slow_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "tests/support/error_of.h"
#include "tools/vta/common/cpu/bounds.h"
#include "tools/vta/common/cpu/facts.h"

namespace vta::tools {
namespace {

constexpr int64_t kAnySize = std::numeric_limits<int64_t>::max();

/// 100 and 400 operations in a nanosecond; 50, 20 and 10 bytes.
CpuBounds Machine() {
  return {"one", 100, 400, {{"L1", 1000, 50}, {"L2", 10'000, 20}, {"DRAM", kAnySize, 10}}};
}

isa::WorkCounts Work(isa::WorkKind kind, int64_t count) {
  isa::WorkCounts work = {};
  work[static_cast<size_t>(kind)] = count;
  return work;
}

TEST(CpuBounds, AreTheLargerOfComputingAndMoving) {
  using enum isa::WorkKind;
  EXPECT_DOUBLE_EQ(LeastNs(Machine(), {}, 1000, 1), 20);      // all of it in L1
  EXPECT_DOUBLE_EQ(LeastNs(Machine(), {}, 1001, 1), 50.05);   // in L2
  EXPECT_DOUBLE_EQ(LeastNs(Machine(), {}, 20'000, 1), 2000);  // further away
  EXPECT_DOUBLE_EQ(LeastNs(Machine(), Work(kFloatProducts, 5000), 1000, 1), 100);
  EXPECT_DOUBLE_EQ(LeastNs(Machine(), Work(kCodeProducts, 8000), 1000, 1), 40);
  EXPECT_DOUBLE_EQ(LeastNs(Machine(), Work(kFunctions, 500), 1000, 1), 100);
  EXPECT_DOUBLE_EQ(LeastNs(Machine(), Work(kElements, 40'000), 1000, 1), 100);
  EXPECT_DOUBLE_EQ(LeastNs(Machine(), Work(kFloatProducts, 5000), 1000, 2), 50);
  EXPECT_DOUBLE_EQ(LeastNs(Machine(), {}, 0, 1), 0);
}

TEST(CpuBounds, AreKeptOnceAMachine) {
  const Temporary folder(NewTemporaryFolder("bounds"));
  const std::string path = StrCat(folder.path(), "/cpu_bounds.json");
  CpuBounds kept = BoundsOfThisCpu(folder.path());  // measured: nothing is there
  EXPECT_EQ(kept.cpu, ThisCpu().name);
  ASSERT_EQ(kept.levels.size(), 3);
  EXPECT_GT(kept.levels[2].gb_per_s, 0);
  EXPECT_EQ(BoundsOfThisCpu(folder.path()), kept);
  kept.float_gops = 1;  // which no measurement gives
  WriteFileAtomically(path, ToJson(kept).Dump());
  EXPECT_EQ(BoundsOfThisCpu(folder.path()), kept);
  kept.cpu = "another";
  WriteFileAtomically(path, ToJson(kept).Dump());
  EXPECT_NE(BoundsOfThisCpu(folder.path()).float_gops, 1);
  const std::string no_rate = R"({"cpu": "a", "float_gops": -1, "code_gops": 1, "levels": []})";
  EXPECT_EQ(ErrorOf([&] { ReadCpuBounds(Json::Parse(no_rate, "f"), "f"); }),
            "f: float_gops = -1: must be a rate");
}

/// A run of kernels that took so many nanoseconds each.
RunReport KernelReport(const std::vector<double>& ns) {
  RunReport report;
  for (size_t i = 0; i < ns.size(); ++i) {
    LayerReport layer{StrCat("s", i), {"op"}, "cpu"};
    layer.step = static_cast<int64_t>(i);
    layer.wall_ms = ns[i] / 1e6;
    layer.kernel_bytes = 10'000;  // 500 ns on the machine
    layer.facts.work.emplace();
    report.layers.push_back(layer);
  }
  return report;
}

/// The marked ones, of runs that take `again`; how often it ran.
std::pair<std::vector<std::string>, int> MarkedOf(RunReport report,
                                                  const std::vector<int64_t>& again,
                                                  int64_t cores = 1) {
  int runs = 0;
  MarkSlowSteps(
      Machine(), [=](const LayerReport&) { return cores; },
      [&](runtime::RunProfile* profile) {
        ++runs;
        for (const int64_t ns : again)
          profile->steps.push_back({.wall = std::chrono::nanoseconds(ns * (runs == 3 ? 1 : 2))});
      },
      &report);
  std::vector<std::string> marked;
  for (const LayerReport& layer : report.layers)
    if (layer.slow) marked.push_back(layer.name);
  return {marked, runs};
}

TEST(SlowSteps, AreThoseThatStaySlow) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  using testing::Pair;
  EXPECT_THAT(MarkedOf(KernelReport({4'900, 2'000}), {4'900, 2'000}), Pair(IsEmpty(), 0));
  EXPECT_THAT(MarkedOf(KernelReport({5'100, 2'000}), {5'100, 2'000}),
              Pair(ElementsAre("s0"), kWarmRuns));
  // The first run was cold; of the warm ones all but one were disturbed.
  EXPECT_THAT(MarkedOf(KernelReport({50'000, 2'000}), {4'000, 2'000}), Pair(IsEmpty(), kWarmRuns));
  // Less than 1 % of the run.
  EXPECT_THAT(MarkedOf(KernelReport({5'100, 600'000}), {5'100, 600'000}),
              Pair(ElementsAre("s1"), kWarmRuns));
  // Two cores need half the time.
  EXPECT_THAT(MarkedOf(KernelReport({5'100, 2'600}), {5'100, 2'600}, 2),
              Pair(ElementsAre("s0"), kWarmRuns));
  RunReport without_work = KernelReport({50'000});
  without_work.layers[0].facts.work.reset();  // of an older package
  EXPECT_THAT(MarkedOf(without_work, {50'000}), Pair(IsEmpty(), 0));
}

TEST(SlowSteps, AreSaid) {
  RunReport report = KernelReport({1, 1, 1});
  report.layers[1].slow = {23.6, 0.25};
  report.layers[1].facts.macs = 33'685'504;
  report.layers[2].slow = {50, 1};
  const std::string text = ReportTable(report, false);
  EXPECT_THAT(text,
              testing::HasSubstr(
                  "2 steps below a tenth of what this CPU can do, by the quickest of warm runs:\n"
                  "  s2, op: 50000.0 us where 1000.0 would do, 0.0 GB/s\n"
                  "  s1, op: 23600.0 us where 250.0 would do, 1.4 GMAC/s, 0.0 GB/s\n"));
}

}  // namespace
}  // namespace vta::tools
