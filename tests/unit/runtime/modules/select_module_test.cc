// Which module a CPU gets, and what who gets none is told.
#include "runtime/modules/select_module.h"

#include <gtest/gtest.h>

#include "isa/spec/cpu.h"
#include "isa/support/error.h"

namespace vta::runtime {
namespace {

isa::PackageModule Module(std::string arch, std::vector<std::string> features = {}) {
  return {"elf", std::move(arch), std::move(features), {}};
}

const Cpu kHaswell{"x86_64", {"sse4.1", "avx", "avx2", "fma"}};
const Cpu kOld{"x86_64", {}};
const Cpu kA53{"aarch64", {}};

std::string ErrorOf(const std::vector<isa::PackageModule>& modules, const Cpu& cpu) {
  try {
    return StrCat("module ", SelectModule(modules, cpu, "net.vta"));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(SelectModule, TakesTheFirstThatFits) {
  const std::vector<isa::PackageModule> modules = {
      Module("aarch64"), Module("x86_64", {"avx2", "avx512f"}), Module("x86_64", {"fma", "avx2"}),
      Module("x86_64"), Module("x86_64", {"avx2"})};
  EXPECT_EQ(SelectModule(modules, kHaswell, "p"), 2);
  EXPECT_EQ(SelectModule(modules, kOld, "p"), 3);
  EXPECT_EQ(SelectModule(modules, kA53, "p"), 0);
}

TEST(SelectModule, PassesOverOtherFormats) {
  std::vector<isa::PackageModule> modules = {Module("x86_64"), Module("x86_64")};
  modules[0].format = "ptx";
  EXPECT_EQ(SelectModule(modules, kHaswell, "p"), 1);
  modules.pop_back();
  EXPECT_EQ(ErrorOf(modules, kOld),
            "net.vta: modules = none: this machine, x86_64, runs x86_64 alone, in ELF: compile "
            "the network with --cpu x86-64");
}

TEST(SelectModule, NamesWhatTheNearestNeeds) {
  EXPECT_EQ(ErrorOf({Module("x86_64", {"avx2", "avx512f", "avx512vnni"}),
                     Module("x86_64", {"avx2", "avx512f"}), Module("aarch64", {"dotprod"})},
                    kHaswell),
            "net.vta: modules = x86_64 with avx2, avx512f, avx512vnni; x86_64 with avx2, avx512f; "
            "aarch64 with dotprod: this machine, x86_64 with sse4.1, avx, avx2, fma, lacks avx512f "
            "for the nearest of them: compile the network with --cpu x86-64-v3");
  EXPECT_EQ(ErrorOf({Module("aarch64", {"dotprod"})}, kA53),
            "net.vta: modules = aarch64 with dotprod: this machine, aarch64, lacks dotprod for the "
            "nearest of them: compile the network with --cpu cortex-a53");
}

TEST(SelectModule, NamesTheArchitectureThatNoneIsFor) {
  EXPECT_EQ(ErrorOf({Module("aarch64"), Module("armv7", {"neon"})}, kOld),
            "net.vta: modules = aarch64; armv7 with neon: this machine, x86_64, runs x86_64 alone, "
            "in ELF: compile the network with --cpu x86-64");
  EXPECT_EQ(ErrorOf({}, {"armv7", {"neon", "vfp4"}}),
            "net.vta: modules = none: this machine, armv7 with neon, vfp4, runs armv7 alone, in "
            "ELF: compile the network with --cpu cortex-a9");
  EXPECT_EQ(ErrorOf({}, {"armv7", {}}),
            "net.vta: modules = none: this machine, armv7, runs armv7 alone, in ELF: compile the "
            "network with --cpu native on it");
}

TEST(SelectModule, SaysWhereNoPackageRuns) {
  EXPECT_EQ(ErrorOf({Module("x86_64"), Module("")}, {}),
            "net.vta: modules: packages hold no code for this machine's CPU");
}

TEST(SelectModule, SuggestsTheMostThatTheCpuHas) {
  Cpu cpu = kOld;
  const auto suggests = [&](const char* name) {
    return ErrorOf({}, cpu).ends_with(StrCat("--cpu ", name));
  };
  EXPECT_TRUE(suggests("x86-64"));
  cpu.features = {"sse4.1", "avx", "fma"};
  EXPECT_TRUE(suggests("x86-64"));
  cpu = kHaswell;
  EXPECT_TRUE(suggests("x86-64-v3"));
  for (const char* feature : {"avx512f", "avx512bw", "avx512dq"}) cpu.features.push_back(feature);
  EXPECT_TRUE(suggests("x86-64-v3"));
  cpu.features.push_back("avx512vl");
  EXPECT_TRUE(suggests("x86-64-v4"));
  for (const char* feature : {"avx512vnni", "avx512vbmi"}) cpu.features.push_back(feature);
  EXPECT_TRUE(suggests("zen4"));
  cpu = {"aarch64", {"dotprod"}};
  EXPECT_TRUE(suggests("cortex-a76"));
}

}  // namespace
}  // namespace vta::runtime
