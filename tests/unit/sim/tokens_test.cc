// Tokens, module order, FINISH, deadlock and fault reports.
#include <gtest/gtest.h>

#include "tests/unit/sim/program.h"

namespace vta::sim {
namespace {

using isa::Fault;
using isa::MemoryType;
using isa::Opcode;
using isa::Outcome;

// Instructions that move nothing, a module each.
isa::Instruction Nop(isa::Module module) {
  if (module == isa::Module::kLoad) return LoadOf(MemoryType::kInp, 0, 0, 0);
  if (module == isa::Module::kStore) return StoreOf(0, 0, 0);
  return LoadOf(MemoryType::kUop, 0, 0, 0);
}

TEST(Tokens, DeadlockNamesQueueAndInstructionOfEachModule) {
  Bench bench;
  isa::Instruction load = Nop(isa::Module::kLoad), compute = Nop(isa::Module::kCompute),
                   store = Nop(isa::Module::kStore);
  load.pop_next = 1;
  compute.pop_prev = 1;
  store.pop_prev = 1;
  bench.Add(Nop(isa::Module::kLoad)).Add(load).Add(compute).Add(store).Add(Finish());
  EXPECT_EQ(isa::Describe(bench.Run()),
            "deadlock\n  load: waits for a token of compute->load at instruction 1 (0x4010)\n"
            "  compute: waits for a token of load->compute at instruction 2 (0x4020)\n"
            "  store: waits for a token of compute->store at instruction 3 (0x4030)");
}

TEST(Tokens, PushToAFullQueueWaits) {
  Bench bench;  // capacity 3
  isa::Instruction push = Nop(isa::Module::kLoad);
  push.push_next = 1;
  for (int i = 0; i < 4; ++i) bench.Add(push);
  isa::LaunchResult result = bench.Run();
  EXPECT_EQ(isa::Describe(result),
            "deadlock\n  load: waits for space in load->compute at instruction 3 (0x4030)");
  EXPECT_EQ(result.counters.tokens[0], 3);
  EXPECT_EQ(result.counters.instructions[0], 3);

  for (int i = 0; i < 4; ++i) bench.Add(push);
  isa::Instruction pop = Nop(isa::Module::kCompute);
  pop.pop_prev = 1;
  bench.Add(pop).Add(Finish());
  EXPECT_EQ(bench.Run().outcome, Outcome::kFinished);
}

TEST(Tokens, QueuesStartEmptyAtEachLaunch) {
  Bench bench;
  isa::Instruction push = Nop(isa::Module::kLoad);
  push.push_next = 1;
  bench.Add(push).Add(Finish());
  EXPECT_EQ(bench.Run().outcome, Outcome::kFinished);
  isa::Instruction pop = Nop(isa::Module::kCompute);
  pop.pop_prev = 1;
  bench.Add(pop).Add(Finish());
  EXPECT_EQ(bench.Run().outcome, Outcome::kDeadlock);
}

TEST(Tokens, AllFourQueues) {
  Bench bench;
  isa::Instruction load = Nop(isa::Module::kLoad), compute = Nop(isa::Module::kCompute),
                   store = Nop(isa::Module::kStore);
  load.push_next = 1;
  bench.Add(load);
  compute.pop_prev = compute.push_next = 1;
  bench.Add(compute);
  store.pop_prev = store.push_prev = 1;
  bench.Add(store);
  compute = Nop(isa::Module::kCompute);
  compute.pop_next = compute.push_prev = 1;
  bench.Add(compute);
  load = Nop(isa::Module::kLoad);
  load.pop_next = 1;
  bench.Add(load).Add(Finish());
  const isa::LaunchResult result = bench.Run();
  EXPECT_EQ(result.outcome, Outcome::kFinished);
  EXPECT_EQ(result.counters.tokens, (std::array<int64_t, 4>{1, 1, 1, 1}));
}

TEST(Faults, EncodingFaultComesBeforeThePops) {
  Bench bench;
  isa::Instruction bad = LoadOf(MemoryType::kUop, 0, 0, 1);
  bad.x_pad_left = 1;
  bad.pop_prev = 1;  // would wait for ever
  bench.Add(bad);
  EXPECT_EQ(isa::Describe(bench.Run()),
            "fault\n  compute: halted with illegal padding at instruction 0 (0x4000)");
}

TEST(Faults, OthersRunOnAndTheFaultingOnePushesNothing) {
  Bench bench;
  bench.dram[0] = 5;
  isa::Instruction bad = LoadOf(MemoryType::kInp, 16, 0, 1);
  bad.push_next = 1;
  isa::Instruction pop = Nop(isa::Module::kCompute);
  pop.pop_prev = 1;
  bench.Add(bad).Add(LoadOf(MemoryType::kAcc, 0, 0, 1)).Add(pop).Add(Finish());
  const isa::LaunchResult result = bench.Run();
  EXPECT_EQ(isa::Describe(result),
            "fault\n  load: halted with index out of range at instruction 0 (0x4000)\n"
            "  compute: waits for a token of load->compute at instruction 2 (0x4020)");
  EXPECT_EQ(bench.Acc(0)[0], 5);
}

TEST(Faults, UnknownOpcodesGoToCompute) {
  Bench bench;
  for (int64_t opcode : {6, 7}) {
    bench.dram[Bench::kCode] = static_cast<uint8_t>(opcode);
    bench.count = 1;
    const isa::LaunchResult result = bench.Run();
    EXPECT_EQ(result.modules[1].fault, Fault::kIllegalOpcode);
  }
}

TEST(Fetch, StopsAfterFinish) {
  Bench bench;
  bench.Add(Finish()).Add(LoadOf(MemoryType::kInp, 99, 0, 1));
  const isa::LaunchResult result = bench.Run();
  EXPECT_EQ(result.outcome, Outcome::kFinished);
  EXPECT_EQ(result.fetch.fetched, 1);
}

TEST(Fetch, PastTheMemoryIsABusError) {
  Bench bench;
  isa::LaunchRequest request{bench.dram.size() - 16, 3, {}};
  const isa::LaunchResult result = bench.machine.Run(request, bench.dram);
  EXPECT_EQ(isa::Describe(result),
            "fault\n  fetch: halted with bus error at instruction 1 (0x8000)");
  EXPECT_EQ(result.counters.instructions[0], 1);  // a LOAD of nothing
  request.instruction_address = ~uint64_t{0} - 15;
  EXPECT_EQ(bench.machine.Run(request, bench.dram).fetch.fault, Fault::kBusError);
}

/// `count` LOADs that wait for tokens, what pushes these, and FINISH.
isa::LaunchResult RunBehindWaitingLoads(int64_t depth, int64_t count,
                                        const MachineOptions& options = {}) {
  isa::Config config = SmallConfig();
  config.uarch.command_queue_depth = depth;
  Bench bench(config, options);
  isa::Instruction pop = Nop(isa::Module::kLoad), push = Nop(isa::Module::kCompute);
  pop.pop_next = push.push_prev = 1;
  for (int64_t i = 0; i < count; ++i) bench.Add(pop);
  for (int64_t i = 0; i < count; ++i) bench.Add(push);
  bench.Add(Finish());
  return bench.Run();
}

TEST(Fetch, WaitsForSpaceInACommandQueue) {
  for (int64_t depth : {2, 4, 8})
    for (ModuleOrder order : {ModuleOrder::kOldestFirst, ModuleOrder::kComputeFirst}) {
      EXPECT_EQ(RunBehindWaitingLoads(depth, depth, {.order = order}).outcome, Outcome::kFinished);
      EXPECT_EQ(RunBehindWaitingLoads(depth, depth + 1, {.order = order}).outcome,
                Outcome::kDeadlock);
    }
  const isa::LaunchResult result = RunBehindWaitingLoads(2, 3);
  EXPECT_EQ(result.fetch.fetched, 2);
  EXPECT_EQ(isa::Describe(result),
            "deadlock\n"
            "  fetch: waits for space in the command queue of load at instruction 2 (0x4020)\n"
            "  load: waits for a token of compute->load at instruction 0 (0x4000)");
}

TEST(Fetch, WhatHasStartedTakesNoSpace) {
  isa::Config config = SmallConfig();
  config.uarch.command_queue_depth = 2;
  Bench bench(config);
  isa::Instruction push = Nop(isa::Module::kLoad);
  push.push_next = 1;
  // Three are done, the fourth has started and waits for space, two more are held.
  for (int i = 0; i < 9; ++i) bench.Add(push);
  EXPECT_EQ(isa::Describe(bench.Run()),
            "deadlock\n"
            "  fetch: waits for space in the command queue of load at instruction 6 (0x4060)\n"
            "  load: waits for space in load->compute at instruction 3 (0x4030)");
}

TEST(Fetch, GoesOnPastAHaltedModule) {
  isa::Config config = SmallConfig();
  config.uarch.command_queue_depth = 2;
  Bench bench(config);
  isa::Instruction bad = Nop(isa::Module::kLoad);
  bad.push_prev = 1;
  for (int i = 0; i < 9; ++i) bench.Add(bad);
  const isa::LaunchResult result = bench.Add(Nop(isa::Module::kStore)).Run();
  EXPECT_EQ(isa::Describe(result),
            "fault\n  load: halted with illegal dependency at instruction 0 (0x4000)");
  EXPECT_EQ(result.fetch.fetched, 10);
  EXPECT_EQ(result.counters.instructions[static_cast<int>(Opcode::kStore)], 1);
}

TEST(Fetch, NoFinishIsItsOwnOutcome) {
  Bench bench;
  bench.Add(Nop(isa::Module::kLoad));
  EXPECT_EQ(isa::Describe(bench.Run()), "no FINISH");
  EXPECT_EQ(isa::Describe(bench.Run()), "no FINISH");  // an empty stream
}

TEST(Finish, IsABarrierOverAllModules) {
  for (ModuleOrder order : {ModuleOrder::kOldestFirst, ModuleOrder::kComputeFirst}) {
    Bench bench(SmallConfig(), {.order = order});
    bench.Put<int8_t>(0x40, {1, 2, 3, 4});
    bench.Add(LoadOf(MemoryType::kInp, 0, 0x10, 1)).Add(Finish());
    EXPECT_EQ(bench.Run().outcome, Outcome::kFinished);
    EXPECT_EQ(bench.Inp(0)[3], 4);
  }
}

TEST(Finish, IsNotDoneBesideAHaltedModule) {
  for (const isa::Instruction& bad : {LoadOf(MemoryType::kInp, 16, 0, 1), StoreOf(16, 0, 1)}) {
    Bench bench(SmallConfig(), {.order = ModuleOrder::kComputeFirst});
    bench.Add(bad).Add(Finish());
    EXPECT_EQ(bench.Run().outcome, Outcome::kFault);
  }
}

TEST(Finish, PopsBeforeItsBarrierAndWaitsForItsTokens) {
  Bench bench;
  isa::Instruction finish = Finish();
  finish.pop_next = 1;
  bench.Add(finish);
  EXPECT_EQ(isa::Describe(bench.Run()),
            "deadlock\n  compute: waits for a token of store->compute at instruction 0 (0x4000)");
}

// Load pushes without a matching pop on compute's side: who writes acc row 0's source last depends
// on the order.
TEST(Order, IsVisibleInARace) {
  const auto run = [](ModuleOrder order) {
    Bench bench(SmallConfig(), {.order = order});
    bench.Put<int8_t>(0x40, {1, 0, 0, 0});
    bench.Put<int8_t>(0x80, {1, 0, 0, 0});
    bench.Add(LoadOf(MemoryType::kWgt, 0, 0x8, 1)).Add(Finish());
    bench.Run();
    bench.Add(Loop(Opcode::kGemm, 0, 1)).Add(LoadOf(MemoryType::kInp, 0, 0x10, 1)).Add(Finish());
    bench.Run();
    return bench.Acc(0)[0];
  };
  EXPECT_EQ(run(ModuleOrder::kOldestFirst), 0);
  EXPECT_EQ(run(ModuleOrder::kComputeFirst), 0);
  EXPECT_EQ(run(ModuleOrder::kLoadFirst), 1);
}

TEST(Limits, StopBeforeTheMicroOpsAreSpent) {
  Bench bench(SmallConfig(), {.micro_op_limit = 1000});
  isa::Instruction gemm = Loop(Opcode::kGemm, 0, 1);
  gemm.iter_out = 10;
  gemm.iter_in = 100;
  bench.Add(gemm).Add(Finish());
  EXPECT_EQ(bench.Run().outcome, Outcome::kFinished);
  bench.Add(gemm).Add(Loop(Opcode::kGemm, 0, 1)).Add(Finish());
  EXPECT_EQ(isa::Describe(bench.Run()), "stopped\n  compute: stopped at instruction 1 (0x4010)");
}

TEST(Limits, TimeEndsAnEndlessProgram) {
  Bench bench(SmallConfig(), {.time_limit = std::chrono::milliseconds(20)});
  for (Opcode opcode : {Opcode::kGemm, Opcode::kAlu}) {
    isa::Instruction loop = Loop(opcode, 0, 16);
    loop.iter_out = loop.iter_in = 16383;
    bench.Add(loop).Add(Finish());
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(bench.Run().outcome, Outcome::kStopped);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  }
}

}  // namespace
}  // namespace vta::sim
