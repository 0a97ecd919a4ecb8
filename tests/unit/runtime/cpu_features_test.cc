// What registers say of a CPU; and that this one is what Linux says.
#include "runtime/cpu_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "isa/spec/cpu.h"

namespace vta::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kAll = ~uint32_t{0};

TEST(X86, HasWhatTheSystemKeepsToo) {
  EXPECT_THAT(CpuOf({}).features, IsEmpty());
  EXPECT_EQ(CpuOf({}).arch, "x86_64");
  EXPECT_THAT(CpuOf({kAll, kAll, kAll, 0}).features, ElementsAre("sse4.1"));
  EXPECT_THAT(CpuOf({kAll, kAll, kAll, 0x3}).features, ElementsAre("sse4.1"));
  EXPECT_THAT(CpuOf({kAll, kAll, kAll, 0x7}).features, ElementsAre("sse4.1", "avx", "avx2", "fma"));
  EXPECT_THAT(CpuOf({kAll, kAll, kAll, 0x67}).features,
              ElementsAre("sse4.1", "avx", "avx2", "fma"));
  EXPECT_THAT(CpuOf({kAll, kAll, kAll, 0xe7}).features,
              ElementsAre("sse4.1", "avx", "avx2", "fma", "avx512f", "avx512bw", "avx512dq",
                          "avx512vl", "avx512vnni", "avx512vbmi"));
}

TEST(X86, EachFeatureIsABit) {
  EXPECT_THAT(CpuOf({1u << 19, 0, 0, 0xe7}).features, ElementsAre("sse4.1"));
  EXPECT_THAT(CpuOf({1u << 28, 0, 0, 0xe7}).features, ElementsAre("avx"));
  EXPECT_THAT(CpuOf({1u << 12, 0, 0, 0xe7}).features, ElementsAre("fma"));
  EXPECT_THAT(CpuOf({0, 1u << 5, 0, 0xe7}).features, ElementsAre("avx2"));
  EXPECT_THAT(CpuOf({0, 1u << 16, 0, 0xe7}).features, ElementsAre("avx512f"));
  EXPECT_THAT(CpuOf({0, 1u << 17, 0, 0xe7}).features, ElementsAre("avx512dq"));
  EXPECT_THAT(CpuOf({0, 1u << 30, 0, 0xe7}).features, ElementsAre("avx512bw"));
  EXPECT_THAT(CpuOf({0, 1u << 31, 0, 0xe7}).features, ElementsAre("avx512vl"));
  EXPECT_THAT(CpuOf({0, 0, 1u << 11, 0xe7}).features, ElementsAre("avx512vnni"));
  EXPECT_THAT(CpuOf({0, 0, 1u << 1, 0xe7}).features, ElementsAre("avx512vbmi"));
}

TEST(Arm, HasWhatLinuxSays) {
  EXPECT_THAT(Aarch64Of(0).features, IsEmpty());
  EXPECT_EQ(Aarch64Of(0).arch, "aarch64");
  EXPECT_THAT(Aarch64Of(1 << 20).features, ElementsAre("dotprod"));
  EXPECT_EQ(Armv7Of(0).arch, "");
  EXPECT_EQ(Armv7Of(1 << 12).arch, "");
  EXPECT_EQ(Armv7Of(1 << 13).arch, "armv7");
  EXPECT_THAT(Armv7Of(1 << 13).features, IsEmpty());
  EXPECT_THAT(Armv7Of(1 << 13 | 1 << 12).features, ElementsAre("neon"));
  EXPECT_THAT(Armv7Of(1 << 13 | 1 << 16).features, ElementsAre("vfp4"));
}

// Linux prints its own names of what it found.
TEST(ThisCpu, IsWhatLinuxPrints) {
  const Cpu cpu = ThisCpu();
  if (cpu.arch != "x86_64") GTEST_SKIP() << "its names are those of x86";
  std::ifstream info("/proc/cpuinfo");
  std::set<std::string> flags;
  for (std::string line; flags.empty() && std::getline(info, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;) flags.insert(word);
  }
  if (flags.empty()) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  for (const isa::CpuFeatureRow& row : isa::kCpuFeatures) {
    if (row.arch != cpu.arch) continue;
    std::string linux_name(row.name);
    if (row.name == "sse4.1") linux_name = "sse4_1";
    if (row.name == "avx512vnni") linux_name = "avx512_vnni";
    EXPECT_EQ(cpu.Has(row.name), flags.contains(linux_name)) << row.name;
  }
}

}  // namespace
}  // namespace vta::runtime
