// A short run of the mutant trials; tests/bench/check_mutants is the long one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/conv_stream.h"
#include "tests/support/mutant_trial.h"

namespace vta::test {
namespace {

TEST(MutantsTest, WhatIsAcceptedIsHarmless) {
  MutantTally tally;
  for (uint64_t seed = 0; seed < 80; ++seed) tally += TryMutants(seed, 1 + seed % 4, 8, nullptr);
  EXPECT_THAT(tally.failures, testing::IsEmpty());
  EXPECT_GT(tally.accepted_all_orders, 40);
  EXPECT_GT(tally.accepted_some_orders, 10);
  EXPECT_GT(tally.rejected_harmful, tally.rejected / 3);
}

TEST(MutantsTest, HarmIsSeen) {
  // The trial's own eyes: a program without the token that orders the STORE after the ALU.
  TestProgram program = MakeConvStream({.layers = 1, .tiles = 1, .reduction = 1});
  for (uint8_t& byte : program.memory) byte = byte ? byte : 3;
  EXPECT_TRUE(ExploreAll(program, 1000).states_agree);
  for (isa::Instruction& insn : program.instructions)
    if (insn.opcode == static_cast<int64_t>(isa::Opcode::kStore)) insn.pop_prev = 0;
  EXPECT_FALSE(program.Check().ok());
  EXPECT_FALSE(ExploreAll(program, 1000).states_agree);
  EXPECT_GT(ExploreAll(program, 1000).outcomes.size(), 1);
  std::mt19937_64 rng(1);
  EXPECT_GT(SampleOrders(program, 0, rng).size(), 1);
}

TEST(MutantsTest, NetworkSizedStreamsAreProvedFast) {
  const TestProgram program = MakeConvStream({.layers = 12, .tiles = 100});
  EXPECT_GT(program.instructions.size(), 30000);
  const isa::Report report = program.Check();
  EXPECT_TRUE(report.ok()) << ReportToText(report);
  EXPECT_EQ(report.statistics.uops_executed, 12 * 100 * (8 * 36 * 196 + 5 * 784));
  // Far above what it takes, far below what unrolling its 70 million micro-ops would.
  EXPECT_LT(report.statistics.scan_ns, 2'000'000'000);
}

}  // namespace
}  // namespace vta::test
