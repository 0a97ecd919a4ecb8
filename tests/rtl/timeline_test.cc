// What the cycle engine shows of a run is what the RTL shows: slice by slice, from power-on on,
// however the launches end.
#include <gtest/gtest.h>

#include "driver/buffer.h"
#include "driver/cycle/cycle_device.h"
#include "driver/rtl/rtl_device.h"
#include "sim/trace/timing_difference.h"
#include "tests/rtl/trial.h"
#include "tests/support/files.h"

namespace vta::test {
namespace {

constexpr int64_t kMemoryBytes = 1 << 20;
constexpr int kPrograms = 60;

// Launches the programs one after the other.
void RunAll(driver::Device& device, const isa::Config& config) {
  driver::Buffer memory(device, kMemoryBytes);
  for (int i = 0; i < kPrograms; ++i) {
    const auto kind = static_cast<ProgramKind>(i % kProgramKinds);
    Image image = ImageOf(RandomRtlProgram(config, kind, static_cast<uint64_t>(i)));
    memory.CopyIn(0, image.dram);
    image.launch.instruction_address += memory.address();
    for (uint64_t& base : image.launch.base) base += memory.address();
    device.Launch(image.launch);
    device.Wait(driver::kForever);
  }
}

class TimelineOf : public testing::TestWithParam<const char*> {};

TEST_P(TimelineOf, TheCycleEngineIsTheRtls) {
  const isa::Config config = isa::LoadConfig(SourcePath(GetParam()));
  const int64_t memory = driver::MemoryFor(kMemoryBytes);
  sim::Timeline have, want;
  driver::CycleDevice cycle(config, {.memory_bytes = memory, .timeline = &have});
  driver::RtlDevice rtl(config, memory, {.timeline = &want}, {.quick = true});
  RunAll(cycle, config);
  RunAll(rtl, config);
  EXPECT_EQ(want.launches.size(), size_t{kPrograms});
  EXPECT_GT(want.instructions.size(), size_t{kPrograms});
  EXPECT_GT(want.stalls.size(), size_t{kPrograms});
  EXPECT_GT(want.bus.size(), size_t{2 * kPrograms});
  EXPECT_EQ(sim::CompareTimelines(want, have, {"RTL", "cycle"}), "");
}

INSTANTIATE_TEST_SUITE_P(Configs, TimelineOf,
                         testing::Values("isa/configs/default.json",
                                         "tests/rtl/configs/extended_8x8.json",
                                         "tests/rtl/configs/tiny_4x4.json",
                                         "tests/rtl/configs/banks_8x8.json",
                                         "tests/rtl/configs/queues_2.json"));

}  // namespace
}  // namespace vta::test
