// What models are trained with.
#include "sim/rtl/training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "sim/functional/machine.h"
#include "tests/support/files.h"

namespace vta::sim {
namespace {

TEST(TrainingTest, FinishesAndKeepsEveryModuleAtWorkOnEveryConfig) {
  for (const char* folder : {"isa/configs", "tests/rtl/configs"})
    for (const auto& file : std::filesystem::directory_iterator(SourcePath(folder))) {
      SCOPED_TRACE(file.path());
      const isa::Config config = isa::LoadConfig(file.path());
      TrainingLaunch training = MakeTrainingLaunch(config);
      Machine machine(config);
      const isa::LaunchResult result = machine.Run(training.launch, training.dram);
      EXPECT_EQ(isa::OutcomeName(result.outcome), isa::OutcomeName(isa::Outcome::kFinished));
      EXPECT_GT(result.counters.gemm_uops, 0);
      EXPECT_GT(result.counters.alu_uops, 0);
      EXPECT_TRUE(std::ranges::all_of(result.counters.tokens, [](int64_t n) { return n > 0; }));
      EXPECT_GT(result.counters.bytes[static_cast<int>(isa::MemoryType::kOut)], 0);
    }
}

// Whatever is wrong with a model, its build does not end there.
TEST(TrainingTest, ToleratesAModelThatCannotRun) {
  EXPECT_NO_THROW(Train(isa::Config(), "/nonexistent.so"));
}

}  // namespace
}  // namespace vta::sim
