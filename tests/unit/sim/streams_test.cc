// Published raw ISA 0.0.2 streams with the memory that they must leave, in every module order and
// on every shipped variant of the published block and buffers.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <tuple>

#include "isa/support/file.h"
#include "sim/functional/machine.h"
#include "tests/support/files.h"

namespace vta::sim {
namespace {

std::vector<isa::Config> ConfigsOfThePublishedBlock() {
  std::vector<isa::Config> configs;
  const isa::Arch published;
  for (const auto& entry : std::filesystem::directory_iterator(SourcePath("isa/configs"))) {
    const isa::Config config = isa::LoadConfig(entry.path());
    const isa::Arch& arch = config.arch;
    if (std::tie(arch.batch, arch.block_in, arch.block_out, arch.uop_depth, arch.inp_depth,
                 arch.wgt_depth, arch.acc_depth) ==
        std::tie(published.batch, published.block_in, published.block_out, published.uop_depth,
                 published.inp_depth, published.wgt_depth, published.acc_depth))
      configs.push_back(config);
  }
  return configs;
}

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
  const std::vector<uint8_t> image = ReadFile(stem + ".img"), expected = ReadFile(stem + ".exp");
  const std::vector<isa::Config> configs = ConfigsOfThePublishedBlock();
  EXPECT_GE(configs.size(), 6u);
  for (const isa::Config& config : configs)
    for (ModuleOrder order :
         {ModuleOrder::kOldestFirst, ModuleOrder::kLoadFirst, ModuleOrder::kComputeFirst,
          ModuleOrder::kStoreFirst, ModuleOrder::kRandom}) {
      std::vector<uint8_t> dram = image;
      Machine machine(config, {.order = order});
      const isa::LaunchResult result = machine.Run(launch, dram);
      EXPECT_EQ(isa::Describe(result), "finished") << config.name;
      const std::vector<uint8_t> found(dram.begin() + output, dram.begin() + output + bytes);
      EXPECT_EQ(found, expected) << config.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Published, Streams,
                         testing::Values("gemm", "s_gred3", "s_nest2", "s_pad_xy", "s_shr_3",
                                         "s_st2d"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace vta::sim
