// Two layers of a package made by hand in one launch: what a session launches, counts and says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "isa/support/error.h"
#include "runtime/pipeline.h"
#include "tests/support/error_of.h"
#include "tests/unit/runtime/sample_package.h"

namespace vta::runtime {
namespace {

using testing::Each;
using testing::ElementsAre;

class CountingDevice : public driver::FunctionalDevice {
 public:
  CountingDevice() : FunctionalDevice(TinyConfig()) {}
  void Launch(const isa::LaunchRequest& request) override {
    counts.push_back(request.instruction_count);
    FunctionalDevice::Launch(request);
  }
  std::vector<int64_t> counts;  // of instructions, of each launch
};

std::shared_ptr<const Model> ModelOf(isa::Package package) {
  return std::make_shared<Model>(std::move(package), "p.vta", ModelOptions{});
}

TEST(LaunchTest, LayersRunTogetherUnlessTheyAreToRunApart) {
  const std::vector<uint8_t> input(8, 1);
  const std::span<const uint8_t> inputs[] = {input};
  for (const bool apart : {false, true}) {
    CountingDevice device;
    Session session(ModelOf(AddFiveTwice()), &device, {.apart = apart});
    RunProfile profile;
    EXPECT_THAT(Infer(session, inputs, &profile)[0], Each(11));
    EXPECT_THAT(device.counts,
                apart ? ElementsAre(5, 5) : testing::Matcher<std::vector<int64_t>>(ElementsAre(8)));
    EXPECT_EQ(profile.steps[1].begins, apart);
    // The micro-ops, the accumulators, the sum and the store; FINISH is the last layer's.
    const auto counted = [](const StepProfile& step) {
      return std::accumulate(step.counters.instructions.begin(), step.counters.instructions.end(),
                             int64_t{0});
    };
    EXPECT_EQ(counted(profile.steps[0]), apart ? 5 : 4);
    EXPECT_EQ(counted(profile.steps[1]), apart ? 5 : 4);
    EXPECT_EQ(profile.steps[0].counters.alu_uops, 1);
    Pipeline pipeline(ModelOf(AddFiveTwice()), &device, {.apart = apart});
    device.counts.clear();
    const Tensors samples[] = {{input}, {input}};
    EXPECT_THAT(pipeline.Run(samples)[1].outputs[0], Each(11));
    EXPECT_EQ(device.counts.size(), apart ? 4u : 2u);
  }
}

TEST(LaunchTest, AProgramThatReadsALayerBeforeItIsMadeIsRefused) {
  isa::Package p = AddFiveTwice();
  // The first layer takes what it makes itself.
  const isa::Instruction load = sim::LoadOf(isa::MemoryType::kAcc8, 2, kMiddle / 8, 1);
  isa::StoreWord(isa::Encode(isa::Layout(*p.config), load), p.code.data() + 16 * 11);
  EXPECT_THAT(ErrorOf([&] { ModelOf(p); }),
              testing::StartsWith("p.vta: step 0 first, in a launch of 2 steps, instruction 1: "
                                  "foreign_load"));
}

}  // namespace
}  // namespace vta::runtime
