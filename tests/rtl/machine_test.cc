// The RTL behind its registers: what random programs do not reach.
#include "sim/rtl/machine.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "isa/asm.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "sim/functional/machine.h"
#include "sim/rtl/build.h"
#include "tests/rtl/trial.h"
#include "tests/support/files.h"

namespace vta::sim {
namespace {

class RtlMachineTest : public testing::Test {
 protected:
  RtlMachineTest()
      : config_(isa::LoadConfig(SourcePath("tests/rtl/configs/extended_8x8.json"))),
        rtl_(config_) {}

  isa::Config config_;
  RtlMachine rtl_;
};

TEST_F(RtlMachineTest, FetchHaltsWhereTheMemoryEnds) {
  std::vector<uint8_t> dram(8192);  // words of zeros: LOADs of nothing
  const isa::LaunchRequest launch{.instruction_address = 8192 - 32, .instruction_count = 9};
  Machine golden(config_);
  const isa::LaunchResult want = golden.Run(launch, dram);
  isa::LaunchResult have = rtl_.Run(launch, dram);
  EXPECT_EQ(have.outcome, isa::Outcome::kFault);
  EXPECT_EQ(have.fetch.fault, isa::Fault::kBusError);
  EXPECT_EQ(have.fetch.address, 8192u);
  have.counters.time.reset();
  EXPECT_EQ(have, want);
}

// Instructions of all zeros are LOADs of nothing.
TEST_F(RtlMachineTest, FetchCountsWhatItWaitsFor) {
  const isa::Memory& memory = config_.memory;
  std::vector<uint8_t> dram(8192);
  const isa::LaunchRequest one{.instruction_address = 0, .instruction_count = 1};
  const isa::Time first = *rtl_.Run(one, dram).counters.time;
  // Two beats after the latency, and a cycle or two to ask.
  EXPECT_GT(first.fetch.wait_memory, memory.read_latency_cycles);
  EXPECT_LT(first.fetch.wait_memory, memory.read_latency_cycles + 8);
  EXPECT_EQ(first.fetch.busy, 1);
  EXPECT_EQ(first.fetch.wait_token, 0);
  // A stream on a 64-bit bus brings an instruction every other cycle.
  const isa::LaunchRequest many{.instruction_address = 0, .instruction_count = 40};
  const isa::Time stream = *rtl_.Run(many, dram).counters.time;
  EXPECT_EQ(stream.fetch.busy, 40);
  EXPECT_EQ(stream.fetch.wait_token, 0);
  EXPECT_EQ(stream.fetch.wait_memory, first.fetch.wait_memory + 39);
  // Behind a LOAD that waits for its token, the queue of 64 fills.
  isa::StoreWord(isa::Encode(rtl_.layout(), isa::Instruction{.pop_next = true}), dram.data());
  const isa::LaunchRequest stuck{.instruction_address = 0, .instruction_count = 400};
  const isa::LaunchResult result = rtl_.Run(stuck, dram);
  EXPECT_EQ(result.outcome, isa::Outcome::kDeadlock);
  const isa::Time& time = *result.counters.time;
  EXPECT_EQ(result.fetch.fetched, 64);
  EXPECT_EQ(time.fetch.busy, result.fetch.fetched);
  EXPECT_GT(time.fetch.wait_token, 0);
  EXPECT_LE(time.fetch.busy + time.fetch.wait_token + time.fetch.wait_memory, time.cycles);
}

// LOADs that wait for tokens, what pushes these, and FINISH: as many as the command queue has room
// for, and one more.
TEST_F(RtlMachineTest, CommandQueuesHoldWhatTheConfigSays) {
  const int64_t depth = config_.uarch.command_queue_depth;
  for (int64_t count : {depth, depth + 1}) {
    std::vector<uint8_t> dram(8192);
    const auto put = [&](int64_t index, const isa::Instruction& insn) {
      isa::StoreWord(isa::Encode(rtl_.layout(), insn),
                     dram.data() + index * isa::kInstructionBytes);
    };
    for (int64_t i = 0; i < count; ++i) {
      put(i, {.pop_next = 1, .memory_type = static_cast<int64_t>(isa::MemoryType::kInp)});
      put(count + i, {.opcode = static_cast<int64_t>(isa::Opcode::kGemm), .push_prev = 1});
    }
    put(2 * count, {.opcode = static_cast<int64_t>(isa::Opcode::kFinish)});
    const isa::LaunchRequest launch{.instruction_address = 0, .instruction_count = 2 * count + 1};
    const isa::LaunchResult want = Machine(config_).Run(launch, dram);
    isa::LaunchResult have = rtl_.Run(launch, dram);
    EXPECT_EQ(have.outcome, count == depth ? isa::Outcome::kFinished : isa::Outcome::kDeadlock);
    EXPECT_EQ(have.fetch.full.has_value(), count != depth);
    have.counters.time.reset();
    EXPECT_EQ(have, want) << Describe(have) << "\n" << Describe(want);
  }
}

TEST_F(RtlMachineTest, CountsIntoAFolderThatIsThere) {
  const char* before = std::getenv("VTA_COVERAGE_DIR");
  const std::string kept = before ? before : "";
  setenv("VTA_COVERAGE_DIR", "/no/such/folder", 1);
  try {
    BuildModel(config_);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "VTA_COVERAGE_DIR: /no/such/folder: is not a folder");
  }
  before ? setenv("VTA_COVERAGE_DIR", kept.c_str(), 1) : unsetenv("VTA_COVERAGE_DIR");
}

// Where nobody looks the outputs do not settle before an edge; they are registers.
TEST_F(RtlMachineTest, LookingOnChangesNothing) {
  const test::Image image =
      test::ImageOf(test::RandomRtlProgram(config_, test::ProgramKind::kOverlapped, 5));
  int64_t seen_cycles = 0;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    RtlMachine alone(config_, {.random_seed = seed});
    RtlMachine watched(config_,
                       {.on_cycle = [&](const VtaPorts&) { ++seen_cycles; }, .random_seed = seed});
    std::vector<uint8_t> alone_dram = image.dram, watched_dram = image.dram;
    EXPECT_EQ(alone.Run(image.launch, alone_dram), watched.Run(image.launch, watched_dram));
    EXPECT_EQ(alone_dram, watched_dram);
    EXPECT_NE(alone_dram, image.dram);
    EXPECT_EQ(alone.cycle(), watched.cycle());
  }
  EXPECT_GT(seen_cycles, 1000);
}

// Whatever rows of the memory the launch before it left open.
TEST_F(RtlMachineTest, ALaunchTakesTheSameCyclesAgain) {
  config_.memory.row_miss_cycles = 20;
  RtlMachine rtl(config_);
  const test::Image image =
      test::ImageOf(test::RandomRtlProgram(config_, test::ProgramKind::kOverlapped, 5));
  std::vector<isa::LaunchResult> results;
  for (int i = 0; i < 3; ++i) {
    std::vector<uint8_t> dram = image.dram;
    results.push_back(rtl.Run(image.launch, dram));
  }
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

TEST_F(RtlMachineTest, RefusesAddressesThatTheBusCannotReach) {
  std::vector<uint8_t> dram(4096);
  isa::LaunchRequest launch;
  launch.base[3] = 48;
  try {
    rtl_.Run(launch, dram);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "launch: base of acc = 0x30: must be a multiple of 32");
  }
}

// Bit 63 of the low word is GEMM's own.
TEST_F(RtlMachineTest, AnAluOperationDoesNotOverwrite) {
  const isa::Program program = isa::Assemble(
      "load.uop dram=row x=1\nload.acc dram=value x=1\nalu.add uop=0:1 imm=1\n"
      "gemm uop=0:1 overwrite push_next\nstore.out dram=result x=1 pop_prev push_prev\n"
      "finish pop_next\n.uop\nrow: dst=0\n.data\nvalue: .int 41*8\n.data\nresult: .space 8\n",
      "test", config_);
  std::vector<uint8_t> dram = program.Image();
  const isa::LaunchRequest launch{.instruction_count = 6};
  for (const int bit : {0, 1}) {
    // The ALU operation, with the bit; then GEMM, without it.
    if (bit) {
      dram[2 * isa::kInstructionBytes + 7] ^= 0x80;
      dram[3 * isa::kInstructionBytes + 7] ^= 0x80;
    }
    std::vector<uint8_t> have = dram;
    EXPECT_EQ(rtl_.Run(launch, have).outcome, isa::Outcome::kFinished);
    const uint64_t at = *program.FindLabel("result");
    EXPECT_EQ(have[at], bit ? 42 : 0);
  }
}

TEST_F(RtlMachineTest, StopsAtTheCycleLimitAndRunsAgain) {
  std::vector<uint8_t> dram(4096);
  const isa::LaunchRequest launch{.instruction_address = 0, .instruction_count = 100};
  rtl_.options().cycle_limit = 50;
  EXPECT_EQ(rtl_.Run(launch, dram).outcome, isa::Outcome::kStopped);
  rtl_.options().cycle_limit = 5000;
  EXPECT_EQ(rtl_.Run(launch, dram).outcome, isa::Outcome::kNoFinish);
}

}  // namespace
}  // namespace vta::sim
