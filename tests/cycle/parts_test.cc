// What is told of the parts of a launch while it runs is what its whole timeline says at the end.
#include "sim/trace/parts.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "sim/cycle/core/core.h"
#include "tests/rtl/trial.h"
#include "tests/support/files.h"

namespace vta::test {
namespace {

constexpr int64_t kPrograms = 240;

class PartsTest : public testing::TestWithParam<const char*> {
 protected:
  PartsTest() : config_(isa::LoadConfig(SourcePath(GetParam()))) {}

  isa::Config config_;
  sim::cycle::Core core_{config_}, keeps_{config_};
};

// Parts of one instruction and more, among them some without an instruction of compute.
void CutAtRandom(isa::LaunchRequest& launch, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int64_t at = 0; at < launch.instruction_count;
       at += 1 + static_cast<int64_t>(random() % (1 + random() % 12)))
    launch.parts.push_back(at);
}

TEST_P(PartsTest, AreThoseOfTheTimeline) {
  int64_t told = 0;
  for (int64_t i = 0; i < kPrograms; ++i) {
    const auto kind = static_cast<ProgramKind>(i % kProgramKinds);
    Image image = ImageOf(RandomRtlProgram(config_, kind, static_cast<uint64_t>(i)));
    CutAtRandom(image.launch, static_cast<uint64_t>(i));
    sim::Timeline timeline;
    const isa::LaunchResult have = core_.Run(image.launch, image.dram, {.causes = true}),
                            want = keeps_.Run(
                                image.launch, image.dram,
                                {.timeline = &timeline, .origin = {.cycle = 1000}, .causes = true});
    ASSERT_EQ(have, want) << ProgramKindName(kind) << ", seed " << i;
    if (have.parts.empty()) continue;
    ++told;
    const std::vector<int64_t> ends = sim::PartEnds(timeline, image.launch.parts);
    std::vector<isa::PartTime> times = have.parts;
    for (isa::PartTime& part : times) {
      ASSERT_TRUE(part.causes);
      for (const isa::CauseCycles& unit : part.causes->spent)
        ASSERT_EQ(std::accumulate(unit.begin(), unit.end(), int64_t{0}), part.time.cycles);
      part.causes.reset();
    }
    ASSERT_EQ(times, sim::TimeOfParts(timeline, ends)) << ProgramKindName(kind) << ", seed " << i;
  }
  EXPECT_GT(told, kPrograms / 4);
}

INSTANTIATE_TEST_SUITE_P(
    OfVariants, PartsTest,
    testing::Values("isa/configs/default.json", "isa/configs/two_banks.json",
                    "isa/configs/vta_0.0.2.json", "tests/rtl/configs/extended_8x8.json",
                    "tests/rtl/configs/tiny_4x4.json", "tests/rtl/configs/banks_8x8.json",
                    "tests/rtl/configs/one_beat.json", "tests/rtl/configs/latency_0.json",
                    "tests/rtl/configs/bus_512.json", "tests/rtl/configs/queues_2.json"));

}  // namespace
}  // namespace vta::test
