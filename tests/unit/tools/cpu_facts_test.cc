#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/lower/cpu.h"
#include "isa/support/error.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/cpu/peak.h"

namespace vta::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CpuFactsTest, ReadsAnX86OfTwoCoresAndFourThreads) {
  std::string text;
  for (int processor = 0; processor < 4; ++processor)
    text += StrCat("processor\t: ", processor, "\nmodel name\t: Some CPU @ 2 GHz\nphysical id\t: 0",
                   "\ncore id\t\t: ", processor / 2,
                   "\nflags\t\t: fpu sse2 avx512f fma avx2 avx512_vnni movbe\n\n");
  const CpuFacts facts = ParseCpuInfo(text);
  EXPECT_EQ(facts.name, "Some CPU @ 2 GHz");
  EXPECT_THAT(facts.flags, ElementsAre("avx2", "fma", "avx512f", "avx512_vnni"));
  EXPECT_EQ(facts.logical_cores, 4);
  EXPECT_EQ(facts.physical_cores, 2);
}

TEST(CpuFactsTest, EqualCoresOfTwoPackagesAreTwo) {
  const CpuFacts facts = ParseCpuInfo(
      "processor: 0\nphysical id: 0\ncore id: 0\n\nprocessor: 1\nphysical id: 1\ncore id: 0\n");
  EXPECT_EQ(facts.physical_cores, 2);
}

TEST(CpuFactsTest, ReadsAnArm) {
  const CpuFacts facts = ParseCpuInfo(
      "processor\t: 0\nFeatures\t: fp asimd asimddp\n\nprocessor\t: 1\nFeatures\t: fp asimd\n");
  EXPECT_EQ(facts.name, "unknown");
  EXPECT_THAT(facts.flags, ElementsAre("asimd", "asimddp"));
  EXPECT_EQ(facts.physical_cores, 2);
}

TEST(CpuFactsTest, OfNothingKnowsNothing) {
  for (const char* text : {"", "no colon\n", ":\n:\n", "\n\n\n"}) {
    EXPECT_THAT(ParseCpuInfo(text).flags, IsEmpty());
    EXPECT_EQ(ParseCpuInfo(text).logical_cores, 0);
  }
}

TEST(OnCoresTest, StaysThereAndGoesBack) {
  const std::vector<int64_t> before = AllowedCores();
  ASSERT_FALSE(before.empty());
  {
    const OnCores on({before.back()});
    EXPECT_THAT(AllowedCores(), ElementsAre(before.back()));
  }
  EXPECT_EQ(AllowedCores(), before);
}

TEST(OnCoresTest, RefusesCoresThatAreNotThere) {
  EXPECT_THAT([] { OnCores({1023}); },
              testing::ThrowsMessage<Error>(HasSubstr("CPU: cores = 1023: cannot stay there: ")));
  EXPECT_THAT(
      [] {
        OnCores({0, 1024});
      },
      testing::ThrowsMessage<Error>("CPU: core = 1024: must be in [0, 1023]"));
  EXPECT_THAT([] { OnCores({-1}); },
              testing::ThrowsMessage<Error>("CPU: core = -1: must be in [0, 1023]"));
}

TEST(CpuPeakTest, EachWayThatThisCpuHasReachesSomething) {
  const std::vector<CpuPeak> peaks = MeasureCpuPeaks();
  double best[2] = {};
  for (const CpuPeak& peak : peaks) {
    EXPECT_GT(peak.gops, 0.1) << peak.instruction;
    EXPECT_LT(peak.gops, 1e5) << peak.instruction;
    best[peak.is_int8] = std::max(best[peak.is_int8], peak.gops);
  }
  EXPECT_EQ(BestGops(peaks, false), best[0]);
  EXPECT_EQ(BestGops(peaks, true), best[1]);
  EXPECT_EQ(BestGops({}, true), 0);
  const CpuFacts facts = ThisCpu();
  const auto has = [&](const char* flag) {
    return std::ranges::find(facts.flags, flag) != facts.flags.end();
  };
  const auto measured = [&](const std::string& instruction) {
    return std::ranges::find(peaks, instruction, &CpuPeak::instruction) != peaks.end();
  };
  EXPECT_EQ(measured("vfmadd ymm"), has("avx2") && has("fma"));
  EXPECT_EQ(measured("vfmadd zmm"), has("avx512f"));
  EXPECT_EQ(measured("vpdpbusd zmm"), has("avx512_vnni"));
  EXPECT_EQ(measured("vpdpbusd ymm"), has("avx_vnni"));
}

TEST(CpuPeakTest, CodeUsesWaysThatItHasTheFeaturesFor) {
  const std::vector<CpuPeak> peaks = {{"a", false, 3, "avx512f"},
                                      {"b", false, 2, "avx2 fma"},
                                      {"c", true, 4, "avx2 avxvnni"},
                                      {"d", true, 1, "avx2"}};
  const auto best = [&](const char* cpu, bool is_int8) {
    return BestGops(PeaksWith(peaks, compiler::lower::FindCpu(cpu).features), is_int8);
  };
  EXPECT_EQ(best("zen4", false), 3);
  EXPECT_EQ(best("x86-64-v3", false), 2);
  EXPECT_EQ(best("x86-64-v3", true), 1);
  EXPECT_EQ(best("x86-64", true), 0);
  // The measured ones say what they need, and this machine has it.
  for (const CpuPeak& peak : MeasureCpuPeaks())
    EXPECT_EQ(PeaksWith({peak}, {"avx2", "fma", "avxvnni", "avx512f", "avx512vnni"}).size(), 1)
        << peak.instruction;
}

}  // namespace
}  // namespace vta::tools
