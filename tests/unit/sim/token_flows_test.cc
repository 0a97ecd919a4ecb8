// Which push of a token goes with which pop.
#include <gtest/gtest.h>

#include "isa/codec.h"
#include "sim/trace/tokens.h"
#include "tests/unit/sim/program.h"

namespace vta::sim {
namespace {

isa::Instruction Flagged(isa::Instruction insn,
                         std::initializer_list<int64_t isa::Instruction::*> flags) {
  for (const auto flag : flags) insn.*flag = 1;
  return insn;
}

constexpr auto kPopPrev = &isa::Instruction::pop_prev, kPopNext = &isa::Instruction::pop_next,
               kPushPrev = &isa::Instruction::push_prev, kPushNext = &isa::Instruction::push_next;

TEST(PairTokens, TheNthPushMeetsTheNthPopOfItsLaunch) {
  const isa::Layout layout(SmallConfig());
  Timeline timeline;
  timeline.launches = {{0, 100}, {100, 200}};
  const auto add = [&](int64_t begin, isa::Module module, const isa::Instruction& insn) {
    InstructionSlice slice;
    slice.begin = begin, slice.end = begin + 5;
    slice.module = module;
    slice.word = isa::Encode(layout, insn);
    timeline.instructions.push_back(slice);
  };
  const isa::Instruction load = LoadOf(isa::MemoryType::kInp, 0, 0, 1),
                         gemm = Loop(isa::Opcode::kGemm, 0, 1), store = StoreOf(0, 0, 1);
  add(1, isa::Module::kLoad, Flagged(load, {kPushNext}));                           // 0
  add(7, isa::Module::kLoad, Flagged(load, {kPushNext}));                           // 1
  add(20, isa::Module::kCompute, Flagged(gemm, {kPopPrev, kPushPrev, kPushNext}));  // 2
  add(30, isa::Module::kCompute, Flagged(gemm, {kPopPrev, kPopNext}));              // 3
  add(26, isa::Module::kStore, Flagged(store, {kPopPrev, kPushPrev}));              // 4
  add(40, isa::Module::kLoad, Flagged(load, {kPopNext, kPushNext}));  // 5: nobody pops
  // Queues are empty when a launch begins.
  add(101, isa::Module::kLoad, Flagged(load, {kPushNext}));    // 6
  add(110, isa::Module::kCompute, Flagged(gemm, {kPopPrev}));  // 7
  // A neighbour that is not there: the bits say nothing.
  add(120, isa::Module::kLoad, Flagged(load, {kPopPrev, kPushPrev}));
  const std::vector<TokenFlow> want = {
      {isa::Queue::kLoadToCompute, 0, 2},  {isa::Queue::kLoadToCompute, 1, 3},
      {isa::Queue::kComputeToLoad, 2, 5},  {isa::Queue::kComputeToStore, 2, 4},
      {isa::Queue::kStoreToCompute, 4, 3}, {isa::Queue::kLoadToCompute, 6, 7}};
  EXPECT_EQ(PairTokens(timeline, layout), want);
}

}  // namespace
}  // namespace vta::sim
