// Why cycles go by, as the cycle model says it: each of every unit has one cause, and those agree
// with what the hardware's own counters say.
#include "tests/rtl/causes.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "isa/spec/timing.h"
#include "sim/cycle/core/core.h"
#include "tests/rtl/program.h"
#include "tests/rtl/trial.h"
#include "tests/support/files.h"
#include "tests/unit/sim/program.h"

namespace vta::test {
namespace {

using isa::Cause;

TEST(CausesTest, SumToTheCyclesOfEveryProgram) {
  for (const char* folder : {"isa/configs", "tests/rtl/configs"})
    for (const auto& entry : std::filesystem::directory_iterator(SourcePath(folder))) {
      const isa::Config config = isa::LoadConfig(entry.path());
      sim::cycle::Core core(config), silent(config);
      for (int64_t i = 0; i < 60; ++i) {
        const auto kind = static_cast<ProgramKind>(i % kProgramKinds);
        const Image image = ImageOf(RandomRtlProgram(config, kind, static_cast<uint64_t>(i)));
        sim::Timeline timeline;
        isa::LaunchResult have =
            core.Run(image.launch, image.dram, {.timeline = &timeline, .causes = true});
        ASSERT_EQ(BrokenCauses(have.counters, timeline), "")
            << config.name << ", a program of kind " << ProgramKindName(kind) << ", seed " << i;
        have.counters.causes.reset();
        ASSERT_EQ(have, silent.Run(image.launch, image.dram)) << config.name << ", seed " << i;
      }
    }
}

// Programs whose causes can be counted by hand.
class CountedCausesTest : public testing::Test {
 protected:
  CountedCausesTest() : config_(isa::LoadConfig(SourcePath("isa/configs/default.json"))) {
    config_.memory.row_miss_cycles = 0;
  }

  // Of these and FINISH. Elements and micro-ops of zeros are there.
  isa::Counters Run(std::vector<isa::Instruction> instructions,
                    const sim::cycle::Freed& freed = {}) {
    TestProgram program;
    program.config = config_;
    program.memory.resize(size_t{1} << 20);
    program.instructions = std::move(instructions);
    program.instructions.push_back(sim::Finish());
    const Image image = ImageOf(program);
    timeline_ = {};
    sim::cycle::Core core(config_);
    const isa::LaunchResult result = core.Run(
        image.launch, image.dram, {.freed = freed, .timeline = &timeline_, .causes = true});
    EXPECT_EQ(result.outcome, isa::Outcome::kFinished);
    EXPECT_EQ(BrokenCauses(result.counters, timeline_), "");
    return result.counters;
  }
  static int64_t OnPath(const isa::Counters& counters, Cause cause) {
    int64_t sum = 0;
    for (const isa::CauseCycles& unit : counters.causes->path) sum += Sum(unit, {cause});
    return sum;
  }

  isa::Config config_;
  sim::Timeline timeline_;
};

// The first instruction and what it loads: two latencies, one behind the other.
TEST_F(CountedCausesTest, LatencyOfALoad) {
  const std::vector<isa::Instruction> program = {sim::LoadOf(isa::MemoryType::kInp, 0, 0, 4)};
  const isa::Counters before = Run(program);
  config_.memory.read_latency_cycles += 100;
  const isa::Counters after = Run(program);
  EXPECT_EQ(after.time->cycles - before.time->cycles, 200);
  EXPECT_EQ(OnPath(after, Cause::kLatency) - OnPath(before, Cause::kLatency), 200);
  const size_t load = isa::UnitOf(isa::Module::kLoad);
  EXPECT_EQ(after.causes->path[load][static_cast<int>(Cause::kLatency)],
            config_.memory.read_latency_cycles);
}

// Rows of one bank, each of which closes the one before: that of the instructions, and four more.
TEST_F(CountedCausesTest, RowMisses) {
  config_.memory.banks = 1, config_.memory.row_bytes = 256;
  const std::vector<isa::Instruction> program = {sim::Transfer(
      isa::Opcode::kLoad, isa::MemoryType::kInp, 0, 0, 4, 1, 256 / config_.inp_bytes())};
  const isa::Counters before = Run(program);
  config_.memory.row_miss_cycles = 50;
  const isa::Counters after = Run(program);
  EXPECT_EQ(OnPath(before, Cause::kRowMiss), 0);
  EXPECT_EQ(after.time->cycles - before.time->cycles, 5 * 50);
  // While the later ones begin to open, the load takes the last beat of the one before.
  EXPECT_EQ(OnPath(after, Cause::kRowMiss), 5 * 50 - 3);
}

// Compute waits until the load pushes, and the path goes through what that reads.
TEST_F(CountedCausesTest, AWaitNamesTheInstructionAtTheOtherEnd) {
  isa::Instruction nothing = sim::LoadOf(isa::MemoryType::kInp, 0, 0, 0),
                   load = sim::LoadOf(isa::MemoryType::kInp, 0, 0, 64),
                   gemm = sim::Loop(isa::Opcode::kGemm, 0, 0);
  load.push_next = 1, gemm.pop_prev = 1;
  const isa::Counters counters = Run({nothing, nothing, load, nothing, gemm});
  std::vector<sim::CauseSlice> waits;
  for (const sim::CauseSlice& slice : timeline_.causes)
    if (slice.cause == Cause::kToken) waits.push_back(slice);
  ASSERT_EQ(waits.size(), 1);
  EXPECT_EQ(waits[0].unit, isa::UnitOf(isa::Module::kCompute));
  EXPECT_EQ(waits[0].queue, isa::Queue::kLoadToCompute);
  EXPECT_EQ(waits[0].index, 4);
  EXPECT_EQ(waits[0].other, 2);
  const auto ends = std::find_if(timeline_.instructions.begin(), timeline_.instructions.end(),
                                 [](const auto& slice) { return slice.index == 2; });
  ASSERT_NE(ends, timeline_.instructions.end());
  EXPECT_EQ(waits[0].end, ends->end);
  EXPECT_EQ(OnPath(counters, Cause::kToken), 0);
  // Its beats, of 8 bytes.
  EXPECT_EQ(Sum(counters.causes->path[isa::UnitOf(isa::Module::kLoad)], {Cause::kBusy}),
            64 * config_.inp_bytes() / 8);
  // Where tokens are free nobody waits for it but FINISH.
  const isa::Counters freed = Run({nothing, nothing, load, nothing, gemm}, {.tokens = true});
  const size_t compute = isa::UnitOf(isa::Module::kCompute);
  EXPECT_EQ(Sum(freed.causes->spent[compute], {Cause::kToken}), 0);
  EXPECT_GT(Sum(freed.causes->spent[compute], {Cause::kBarrier}), 64);
}

TEST_F(CountedCausesTest, MicroOpsAreBookedAndCanBeFree) {
  const std::vector<isa::Instruction> program = {sim::LoadOf(isa::MemoryType::kUop, 0, 0, 512),
                                                 sim::Loop(isa::Opcode::kGemm, 0, 16)};
  const isa::Counters counters = Run(program), freed = Run(program, {.uops = true});
  const size_t compute = isa::UnitOf(isa::Module::kCompute);
  const int64_t booked = Sum(counters.causes->spent[compute], {Cause::kUops});
  EXPECT_GE(booked, 512 * 4 / 8);  // its beats
  EXPECT_EQ(Sum(freed.causes->spent[compute], {Cause::kUops}), 0);
  EXPECT_GE(counters.time->cycles - freed.time->cycles, 512 * 4 / 8);
  EXPECT_EQ(Sum(counters.causes->spent[compute], {Cause::kBusy}), 16);
  EXPECT_EQ(Sum(freed.causes->spent[compute], {Cause::kBusy}), 16);
}

// A GEMM is handed on behind LOADs, for which their module's queue is too short: the launch waits
// for what that module does.
TEST_F(CountedCausesTest, ThePathGoesOnWhereAQueueIsFull) {
  config_.uarch.command_queue_depth = 2;
  std::vector<isa::Instruction> program(12, sim::LoadOf(isa::MemoryType::kWgt, 0, 0, 8));
  program.push_back(sim::Loop(isa::Opcode::kGemm, 0, 16));
  program.back().iter_out = 500;
  const isa::Counters counters = Run(program);
  EXPECT_GT(Sum(counters.causes->spent[isa::kFetchUnit], {Cause::kSpace}), 1000);
  EXPECT_EQ(OnPath(counters, Cause::kSpace), 0);
  EXPECT_EQ(Sum(counters.causes->path[isa::UnitOf(isa::Module::kCompute)], {Cause::kBusy}), 8000);
  const int64_t beats = 8 * config_.wgt_bytes() / 8;
  EXPECT_GT(Sum(counters.causes->path[isa::UnitOf(isa::Module::kLoad)], {Cause::kBusy}), 8 * beats);
}

// What is known of a kernel is forgotten with it: two products into one row wait for each other.
TEST(CycleCoreTest, TheSameWordWithOtherMicroOps) {
  TestProgram program;
  program.config = isa::LoadConfig(SourcePath("isa/configs/only_mul.json"));
  program.memory.resize(4096);
  const int64_t apart = AppendUops(program, {{0, 0, 0}, {1, 1, 0}}),
                same = AppendUops(program, {{0, 0, 0}, {0, 0, 0}});
  for (const int64_t uops : {apart, same, apart})
    for (const isa::Instruction& insn :
         {sim::LoadOf(isa::MemoryType::kUop, 0, uops, 2), sim::Alu(isa::AluOp::kMul, 0, 2)})
      program.instructions.push_back(insn);
  program.instructions.push_back(sim::Finish());
  const Image image = ImageOf(program);
  sim::Timeline timeline;
  sim::cycle::Core core(program.config);
  core.Run(image.launch, image.dram, {.timeline = &timeline});
  std::vector<int64_t> cycles;
  for (const sim::InstructionSlice& slice : timeline.instructions)
    if (slice.index % 2 == 1) cycles.push_back(slice.cycles());
  ASSERT_EQ(cycles.size(), 3);
  EXPECT_EQ(cycles[1], cycles[0] + isa::timing::kLongWindowCycles - 1);
  EXPECT_EQ(cycles[2], cycles[0]);
}

}  // namespace
}  // namespace vta::test
