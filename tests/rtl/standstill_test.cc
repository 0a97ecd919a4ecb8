// Where launches stand still when queues hold one token and two instructions: the RTL, the kernels
// for synthesis and the golden model name the same module, queue and instruction.
#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "sim/hls/machine.h"
#include "sim/trace/lockstep.h"
#include "tests/rtl/trial.h"
#include "tests/support/files.h"
#include "tests/unit/sim/program.h"

namespace vta::test {
namespace {

using isa::Instruction;
using isa::Module;
using isa::ModuleState;
using isa::Queue;
using isa::Wait;

// An end of a token queue: a module that only pops from there, or pushes to it, is stuck.
struct End {
  Module module;
  int64_t Instruction::*field;
  Queue queue;
  bool pops;
};
constexpr End kEnds[] = {
    {Module::kLoad, &Instruction::pop_next, Queue::kComputeToLoad, true},
    {Module::kLoad, &Instruction::push_next, Queue::kLoadToCompute, false},
    {Module::kCompute, &Instruction::pop_prev, Queue::kLoadToCompute, true},
    {Module::kCompute, &Instruction::push_prev, Queue::kComputeToLoad, false},
    {Module::kCompute, &Instruction::pop_next, Queue::kStoreToCompute, true},
    {Module::kCompute, &Instruction::push_next, Queue::kComputeToStore, false},
    {Module::kStore, &Instruction::pop_prev, Queue::kComputeToStore, true},
    {Module::kStore, &Instruction::push_prev, Queue::kStoreToCompute, false},
};

Instruction Nothing(Module module) {
  if (module == Module::kCompute) return sim::Loop(isa::Opcode::kGemm, 0, 0);
  return module == Module::kLoad ? sim::LoadOf(isa::MemoryType::kInp, 0, 0, 0)
                                 : sim::StoreOf(0, 0, 0);
}

class StandstillTest : public testing::Test {
 protected:
  isa::LaunchResult Run(const TestProgram& program) {
    EXPECT_EQ(trial_.Run(program, std::nullopt), "");  // the RTL and the golden model
    Image image = ImageOf(program);
    const isa::LaunchResult result = hls_.Run(image.launch, image.dram);
    EXPECT_EQ(sim::CompareResults(trial_.result(), result, {"RTL", "HLS"}), "");
    return result;
  }

  const isa::Config config_ = isa::LoadConfig(SourcePath("tests/rtl/configs/queues_2.json"));
  Trial trial_{config_};
  sim::HlsMachine hls_{config_};
};

TEST_F(StandstillTest, AtEachEndOfEachQueue) {
  ASSERT_EQ(config_.arch.token_capacity, 1);
  ASSERT_EQ(config_.uarch.command_queue_depth, 2);
  for (const End& end : kEnds) {
    // What pops keeps its place in the command queue. What pushes has left it, behind one that
    // could push, and two wait.
    const int64_t stuck = end.pops ? 0 : 1, fits = end.pops ? 2 : 4;
    const bool compute = end.module == Module::kCompute;
    for (const bool full : {false, true}) {
      SCOPED_TRACE(
          StrCat(isa::Spec(end.module).name, end.pops ? " pops" : " pushes", full ? ", full" : ""));
      TestProgram program;
      program.config = config_;
      program.memory.resize(4096);
      program.instructions.assign(static_cast<size_t>(fits + full - compute), Nothing(end.module));
      for (int64_t i = 0; i <= stuck; ++i)
        program.instructions[static_cast<size_t>(i)].*end.field = 1;
      program.instructions.push_back(sim::Finish());
      const isa::LaunchResult result = Run(program);
      EXPECT_EQ(result.outcome, isa::Outcome::kDeadlock);
      for (const Module module : {Module::kLoad, Module::kCompute, Module::kStore}) {
        const ModuleState& state = result.modules[static_cast<size_t>(module)];
        if (module == end.module) {
          EXPECT_EQ(state.wait, end.pops ? Wait::kToken : Wait::kSpace);
          EXPECT_EQ(state.queue, end.queue);
          EXPECT_EQ(state.index, stuck);
        } else {  // FINISH waits for what is stuck, if it is there
          EXPECT_EQ(state.wait, module == Module::kCompute && !full ? Wait::kBarrier : Wait::kNone);
        }
      }
      EXPECT_EQ(result.fetch.full, full ? std::optional(end.module) : std::nullopt);
      EXPECT_EQ(result.fetch.fetched, fits + (!full && !compute));
    }
  }
}

}  // namespace
}  // namespace vta::test
