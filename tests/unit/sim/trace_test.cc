// The retirement trace: what an event tells, and the lockstep comparison built on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/support/hash.h"
#include "sim/trace/lockstep.h"
#include "tests/unit/sim/program.h"

namespace vta::sim {
namespace {

using isa::MemoryType;
using isa::Opcode;
using testing::ElementsAre;

TEST(WriteCollector, MergesRunsInAnyOrder) {
  const std::vector<uint8_t> memory = {0, 1, 2, 3, 4, 5, 6, 7};
  WriteCollector collector;
  for (int64_t row : {3, 0, 1, 3, 2}) collector.Add(Space::kDram, row, 1);
  collector.Add(Space::kDram, 6, 2);
  collector.Add(Space::kDram, 5, 0);
  std::vector<Write> writes;
  collector.Finish(Space::kDram, memory, 1, TraceDetail::kValues, writes);
  ASSERT_EQ(writes.size(), 2u);
  EXPECT_EQ(writes[0].first, 0);
  EXPECT_THAT(writes[0].values, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(writes[0].hash, Hasher().Bytes(writes[0].values).value());
  EXPECT_EQ(writes[1].first, 6);
  EXPECT_EQ(writes[1].count, 2);
}

// Loads, adds 1 to row 2 twice, stores 2 rows with a stride.
void AddProgram(Bench& bench) {
  bench.PutUops(0, {{2, 0, 0}, {2, 0, 0}, {3, 0, 0}});
  bench.Add(LoadOf(MemoryType::kUop, 4, 0, 3)).Add(AluImm(isa::AluOp::kAdd, 4, 7, 1));
  isa::Instruction last = AluImm(isa::AluOp::kAdd, 4, 5, 1);
  last.push_next = 1;
  bench.Add(last);
  isa::Instruction store = Transfer(Opcode::kStore, MemoryType::kOut, 2, 0x40, 2, 1, 2);
  store.pop_prev = 1;
  bench.Add(store).Add(Finish());
}

TEST(Trace, EventsHoldWhatEachInstructionWrote) {
  TraceRecorder recorder(TraceDetail::kValues);
  Bench bench(SmallConfig(), {.trace = &recorder});
  AddProgram(bench);
  ASSERT_EQ(bench.Run().outcome, isa::Outcome::kFinished);
  const std::vector<Event>& compute = recorder.events(isa::Module::kCompute);
  ASSERT_EQ(compute.size(), 4u);
  EXPECT_EQ(compute[0].writes[0].space, Space::kUop);
  EXPECT_EQ(compute[0].writes[0].first, 4);
  EXPECT_EQ(compute[0].writes[0].count, 3);
  ASSERT_EQ(compute[1].writes.size(), 2u);
  EXPECT_EQ(compute[1].writes[0].space, Space::kAcc);
  EXPECT_EQ(compute[1].writes[0].first, 2);
  EXPECT_EQ(compute[1].writes[0].count, 2);
  EXPECT_THAT(compute[1].writes[1].values, ElementsAre(2, 2, 2, 2, 1, 1, 1, 1));
  EXPECT_THAT(compute[2].writes[1].values, ElementsAre(3, 3, 3, 3));
  const std::vector<Event>& store = recorder.events(isa::Module::kStore);
  ASSERT_EQ(store.size(), 1u);
  EXPECT_EQ(store[0].index, 3);
  EXPECT_EQ(store[0].address, Bench::kCode + 48);
  ASSERT_EQ(store[0].writes.size(), 2u);
  EXPECT_EQ(store[0].writes[0].first, 0x100);
  EXPECT_EQ(store[0].writes[1].first, 0x108);
  EXPECT_THAT(store[0].writes[1].values, ElementsAre(1, 1, 1, 1));
}

TEST(Trace, FaultsCarryTheirPartialWrites) {
  TraceRecorder recorder(TraceDetail::kHashes);
  Bench bench(SmallConfig(), {.trace = &recorder});
  bench.Add(LoadOf(MemoryType::kInp, 14, 0, 9));
  isa::Instruction bad = LoadOf(MemoryType::kUop, 0, 0, 1);
  bad.y_pad_bottom = 1;
  bench.Add(bad);
  bench.Run();
  const Event& load = recorder.events(isa::Module::kLoad).at(0);
  EXPECT_EQ(load.fault, isa::Fault::kIndexOutOfRange);
  EXPECT_EQ(load.writes.at(0).count, 2);
  EXPECT_TRUE(load.writes.at(0).values.empty());
  const Event& compute = recorder.events(isa::Module::kCompute).at(0);
  EXPECT_EQ(compute.fault, isa::Fault::kIllegalPadding);
  EXPECT_TRUE(compute.writes.empty());
}

TEST(Lockstep, EqualRunsInDifferentOrdersAgree) {
  Lockstep lockstep;
  Bench left(SmallConfig(), {.order = ModuleOrder::kOldestFirst, .trace = &lockstep.left()});
  Bench right(SmallConfig(), {.order = ModuleOrder::kStoreFirst, .trace = &lockstep.right()});
  AddProgram(left);
  AddProgram(right);
  left.Run();
  right.Run();
  lockstep.Finish();
  EXPECT_FALSE(lockstep.found());
  EXPECT_EQ(lockstep.compared(), 5);
}

TEST(Lockstep, NamesTheFirstDifferingByte) {
  Lockstep lockstep;
  Bench left(SmallConfig(), {.trace = &lockstep.left()});
  Bench right(SmallConfig(), {.trace = &lockstep.right()});
  AddProgram(left);
  AddProgram(right);
  // The right machine starts with a 7 in row 3, lane 1.
  right.machine.options().trace = nullptr;
  Bench seed(SmallConfig());
  right.Put<int32_t>(0x200, {0, 7, 0, 0});
  const int64_t count = right.count;
  right.count = 100;
  right.Add(LoadOf(MemoryType::kAcc, 3, 0x20, 1)).Add(Finish());
  right.machine.Run({Bench::kCode + 1600, 2, {}}, right.dram);
  right.count = count;
  right.machine.options().trace = &lockstep.right();
  left.Run();
  right.Run();
  ASSERT_TRUE(lockstep.found());
  EXPECT_EQ(lockstep.difference()->text(),
            "compute, instruction 1 (0x4010): acc row 3, lane 1: left 1, right 8");
}

TEST(Lockstep, NamesWhatOnlyOneSideRetires) {
  Lockstep lockstep;
  Bench left(SmallConfig(), {.trace = &lockstep.left()});
  left.Add(Finish());
  left.Run();
  lockstep.Finish();
  ASSERT_TRUE(lockstep.found());
  EXPECT_EQ(lockstep.difference()->text(), "compute, instruction 0 (0x4000): only left retires it");
}

TEST(Lockstep, ComparesHowLaunchesEnd) {
  isa::LaunchResult a, b;
  b.counters.time = isa::Time{100, {}};
  EXPECT_EQ(CompareResults(a, b), "");
  b.counters.bytes[static_cast<size_t>(MemoryType::kOut)] = 8;
  b.counters.macs = 2;
  EXPECT_EQ(CompareResults(a, b, {"golden", "RTL"}),
            "bytes of out: golden 0, RTL 8\nMACs: golden 0, RTL 2\n");
  b.outcome = isa::Outcome::kFinished;
  EXPECT_EQ(CompareResults(a, b), "left: no FINISH\nright: finished\n");
  b = a;
  b.fetch.full = isa::Module::kLoad;
  EXPECT_EQ(CompareResults(a, b),
            "left: no FINISH\nright: no FINISH\n  fetch: waits for space in the command queue of "
            "load at instruction 0 (0x0)\n");
}

TEST(Lockstep, ComparesWordsFaultsAndRanges) {
  Event a, b;
  EXPECT_EQ(CompareEvents(a, b), "");
  b.index = 1;
  EXPECT_EQ(CompareEvents(a, b), "left retires instruction 0, right instruction 1");
  b = a;
  b.fault = isa::Fault::kBusError;
  EXPECT_EQ(CompareEvents(a, b), "left fault: none, right fault: bus error");
  b = a;
  b.word.low = 3;
  EXPECT_EQ(CompareEvents(a, b),
            "left ran 0x0000000000000000_0x0000000000000000 at 0x0, right "
            "0x0000000000000000_0x0000000000000003 at 0x0");
  b = a;
  b.writes.push_back({Space::kInp, 4, 2, 1, {}});
  EXPECT_EQ(CompareEvents(a, b), "only right writes inp[4, 6)");
  a.writes.push_back({Space::kInp, 4, 3, 1, {}});
  EXPECT_EQ(CompareEvents(a, b), "left writes inp[4, 7), right writes inp[4, 6)");
}

}  // namespace
}  // namespace vta::sim
