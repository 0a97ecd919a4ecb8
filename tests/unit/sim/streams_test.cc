// Published raw ISA 0.0.2 streams with the memory that they must leave, in every module order.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "isa/support/file.h"
#include "sim/functional/machine.h"
#include "tests/support/files.h"

namespace vta::sim {
namespace {

class Streams : public testing::TestWithParam<const char*> {};

TEST_P(Streams, LeaveThePublishedMemory) {
  const std::string stem = (CasesFolder() / "streams" / GetParam()).string();
  if (!std::filesystem::exists(stem + ".img")) GTEST_SKIP() << "no " << stem << ".img";
  uint64_t output = 0, bytes = 0;
  isa::LaunchRequest launch;
  std::ifstream text(stem + ".txt");
  text >> std::hex >> launch.instruction_address >> std::dec >> launch.instruction_count >>
      std::hex >> output >> bytes;
  ASSERT_TRUE(text);
  const isa::Config config = isa::LoadConfig(SourcePath("isa/configs/vta_0.0.2.json"));
  const std::vector<uint8_t> image = ReadFile(stem + ".img"), expected = ReadFile(stem + ".exp");
  for (ModuleOrder order :
       {ModuleOrder::kOldestFirst, ModuleOrder::kLoadFirst, ModuleOrder::kComputeFirst,
        ModuleOrder::kStoreFirst, ModuleOrder::kRandom}) {
    std::vector<uint8_t> dram = image;
    Machine machine(config, {.order = order});
    const isa::LaunchResult result = machine.Run(launch, dram);
    EXPECT_EQ(isa::Describe(result), "finished");
    const std::vector<uint8_t> found(dram.begin() + output, dram.begin() + output + bytes);
    EXPECT_EQ(found, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Published, Streams,
                         testing::Values("gemm", "s_gred3", "s_nest2", "s_pad_xy", "s_shr_3",
                                         "s_st2d"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace vta::sim
