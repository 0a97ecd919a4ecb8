// The cycle model as a SystemC module: it is the model of the core, whoever's memory is behind it.
#include <gtest/gtest.h>

#include <numeric>

#include "isa/support/error.h"
#include "sim/cycle/core/core.h"
#include "sim/functional/machine.h"
#include "tests/cycle/systemc_platform.h"
#include "tests/rtl/trial.h"

namespace vta::test {
namespace {

constexpr int kPrograms = 36;
// Behind those: where a module has halted, and throws away what comes, when nothing else moves.
constexpr int kHalting[] = {62, 161, 191, 469, 481};

std::vector<int> Seeds() {
  std::vector<int> seeds(kPrograms);
  std::iota(seeds.begin(), seeds.end(), 0);
  seeds.insert(seeds.end(), std::begin(kHalting), std::end(kHalting));
  return seeds;
}

std::vector<std::array<int64_t, 4>> Rows(const CycleModel& model) {
  std::vector<std::array<int64_t, 4>> rows;
  for (const CycleModel::Instruction& row : model.instructions())
    rows.push_back({row.module, row.index, row.begin, row.end});
  return rows;
}

std::vector<std::array<int64_t, 4>> Rows(const sim::Timeline& timeline) {
  std::vector<std::array<int64_t, 4>> rows;
  for (const sim::InstructionSlice& slice : timeline.instructions)
    rows.push_back({static_cast<int64_t>(slice.module), slice.index, slice.begin, slice.end});
  return rows;
}

class SystemcTest : public testing::TestWithParam<const char*> {
 protected:
  SystemcTest() : path_(SourcePath(GetParam())), config_(isa::LoadConfig(path_)) {}

  CycleModel::Options Options(const Image& image, CycleModel::Memory memory) const {
    CycleModel::Options options;
    options.memory = memory;
    options.memory_bytes = image.dram.size();
    return options;
  }

  std::string path_;
  isa::Config config_;
};

// Every program on the state that the one before it left.
TEST_P(SystemcTest, IsTheCoreWhoeverTakesTheBursts) {
  Platform& platform = ThePlatform();
  for (CycleModel::Memory memory : {CycleModel::Memory::kOwn, CycleModel::Memory::kSocket}) {
    SCOPED_TRACE(memory == CycleModel::Memory::kOwn ? "own memory" : "memory at the socket");
    sim::cycle::Core core(config_);
    sim::Machine golden(config_);
    for (int i : Seeds()) {
      const auto kind = static_cast<ProgramKind>(i % kProgramKinds);
      const Image image = ImageOf(RandomRtlProgram(config_, kind, static_cast<uint64_t>(i)));
      SCOPED_TRACE(StrCat("a program of kind ", ProgramKindName(kind), ", seed ", i));
      platform.memory.bytes() = image.dram;
      if (i == 0) {
        platform.memory.Configure(path_);
        platform.ours.model.Configure(path_, Options(image, memory));
      }
      platform.memory.BeginLaunch();
      platform.ours.model.set_memory(0, image.dram.size());
      tlm::tlm_global_quantum::instance().set(sc_time(i % 3 * 700.0, SC_NS));
      const int64_t cycles = platform.ours.Run(image.launch);

      std::vector<uint8_t> dram = image.dram;
      sim::Timeline timeline;
      const isa::LaunchResult timed = core.Run(image.launch, dram, {.timeline = &timeline});
      const isa::LaunchResult want = golden.Run(image.launch, dram);
      ASSERT_EQ(cycles, timed.counters.time->cycles);
      ASSERT_EQ(platform.ours.Counter(isa::HardwareCounter::kCycles), cycles);
      ASSERT_EQ(platform.ours.Counter(isa::HardwareCounter::kFetchBusy),
                timed.counters.time->fetch.busy);
      ASSERT_EQ(platform.ours.Counter(isa::HardwareCounter::kGemmUops), want.counters.gemm_uops);
      ASSERT_EQ(platform.ours.model.Report(), isa::Describe(want));
      ASSERT_EQ(Rows(platform.ours.model), Rows(timeline));
      ASSERT_EQ(platform.memory.bytes(), dram);
    }
  }
}

// A memory that says nothing of the data of writes, and has no DMI.
TEST_P(SystemcTest, RunsOnAMemoryThatKnowsTheBaseProtocolAlone) {
  Platform& platform = ThePlatform();
  sim::cycle::Core core(config_);
  sim::Machine golden(config_);
  for (int i : Seeds()) {
    const auto kind = static_cast<ProgramKind>(i % kProgramKinds);
    const Image image = ImageOf(RandomRtlProgram(config_, kind, static_cast<uint64_t>(i)));
    SCOPED_TRACE(StrCat("a program of kind ", ProgramKindName(kind), ", seed ", i));
    platform.plain.bytes = image.dram;
    if (i == 0)
      platform.foreign.model.Configure(path_, Options(image, CycleModel::Memory::kSocket));
    platform.foreign.model.set_memory(0, image.dram.size());
    const int64_t cycles = platform.foreign.Run(image.launch);
    std::vector<uint8_t> dram = image.dram;
    const isa::LaunchResult want = golden.Run(image.launch, dram);
    EXPECT_EQ(platform.foreign.Counter(isa::HardwareCounter::kCycles), cycles);
    ASSERT_EQ(platform.foreign.model.Report(), isa::Describe(want));
    // Every beat of a write takes a cycle, whoever says nothing of it.
    const isa::Time time = *core.Run(image.launch, image.dram).counters.time;
    if (want.outcome == isa::Outcome::kFinished) {
      const auto store = static_cast<int64_t>(isa::HardwareCounter::kBusy) + 2;
      EXPECT_EQ(platform.foreign.Counter(static_cast<isa::HardwareCounter>(store)),
                time.modules[2].busy);
    }
    ASSERT_EQ(platform.plain.bytes, dram);
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, SystemcTest, testing::ValuesIn(kConfigs));

}  // namespace
}  // namespace vta::test
