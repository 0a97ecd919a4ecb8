// Where two timelines of a launch differ first, and which rule is named.
#include "sim/trace/timing_difference.h"

#include <gtest/gtest.h>

#include "isa/codec.h"
#include "tests/unit/sim/program.h"

namespace vta::sim {
namespace {

using isa::Instruction;
using isa::MemoryType;
using isa::Module;
using isa::Opcode;

class TimingDifferenceTest : public testing::Test {
 protected:
  void Add(Module module, const Instruction& insn, int64_t begin, int64_t end) {
    InstructionSlice slice;
    slice.begin = begin, slice.end = end;
    slice.module = module;
    slice.index = std::ssize(left_.instructions);
    slice.address = 0x40 + static_cast<uint64_t>(slice.index) * isa::kInstructionBytes;
    slice.word = isa::Encode(isa::Layout(config_), insn);
    left_.instructions.push_back(slice);
  }
  // The text where the last instruction differs by so much on the other side.
  std::string Text(int64_t begin, int64_t end) {
    Timeline right = left_;
    right.launches[0].begin += 100;  // each side counts from its own power-on
    for (InstructionSlice& slice : right.instructions) slice.begin += 100, slice.end += 100;
    right.instructions.back().begin += begin, right.instructions.back().end += end;
    const auto found = CompareInstructions(config_, left_, right, {"RTL", "model"});
    return found ? found->text() : "";
  }
  static Instruction Loop(Opcode opcode, isa::AluOp op = isa::AluOp::kMin) {
    Instruction insn = sim::Loop(opcode, 0, 4);
    insn.alu_opcode = static_cast<int64_t>(op);
    return insn;
  }

  isa::Config config_;
  Timeline left_ = {.launches = {{10, 500}}};
};

TEST_F(TimingDifferenceTest, NamesInstructionModuleBothCyclesAndTheRule) {
  Add(Module::kLoad, LoadOf(MemoryType::kInp, 0, 0, 4), 30, 60);
  EXPECT_EQ(Text(0, 0), "");
  EXPECT_EQ(Text(0, 2),
            "load, instruction 0 (0x40) ends in cycle 50 on the RTL, in cycle 52 on the model; "
            "rule: kLoadFixedCycles, 1 cycles of a LOAD on top of its beats and pads");
  EXPECT_EQ(Text(-1, 0),
            "load, instruction 0 (0x40) starts in cycle 20 on the RTL, in cycle 19 on the model; "
            "rule: kLaunchCycles, 3 cycles from CONTROL.start to the first in which fetch asks and "
            "modules run");
}

TEST_F(TimingDifferenceTest, TheRuleFollowsWhatEnds) {
  const auto rule = [&](Module module, const Instruction& insn) {
    left_.instructions.clear();
    Add(module, insn, 30, 60);
    const std::string text = Text(0, 1);
    const size_t at = text.find("rule: ") + 6;
    return text.substr(at, text.find_first_of(", ", at) - at);
  };
  EXPECT_EQ(rule(Module::kCompute, LoadOf(MemoryType::kUop, 0, 0, 4)), "kUopLoadFixedCycles");
  EXPECT_EQ(rule(Module::kStore, StoreOf(0, 0, 4)), "kStoreFixedCycles");
  EXPECT_EQ(rule(Module::kCompute, Loop(Opcode::kGemm)), "kExecuteFixedCycles");
  EXPECT_EQ(rule(Module::kCompute, Loop(Opcode::kAlu, isa::AluOp::kMul)), "kLongStages");
  EXPECT_EQ(rule(Module::kCompute, Loop(Opcode::kAlu, isa::AluOp::kRequant)),
            "kRequantBlockCycles");
  EXPECT_EQ(rule(Module::kLoad, LoadOf(MemoryType::kInp, 0, 0, 0)), "an");  // a sentence
}

TEST_F(TimingDifferenceTest, TheRuleFollowsWhatWasBefore) {
  const auto rule = [&](const Instruction& before, int64_t begin) {
    left_.instructions.clear();
    Add(Module::kCompute, before, 30, 60);
    Add(Module::kCompute, Loop(Opcode::kGemm), begin, 90);
    const std::string text = Text(1, 0);
    const size_t at = text.find("rule: ") + 6;
    return text.substr(at, text.find_first_of(", ", at) - at);
  };
  EXPECT_EQ(rule(Loop(Opcode::kGemm), 54), "kExecuteOverlapCycles");
  EXPECT_EQ(rule(Loop(Opcode::kAlu, isa::AluOp::kMul), 51), "kLongOverlapCycles");
  EXPECT_EQ(rule(Loop(Opcode::kGemm), 60), "kFifoCycles");
  EXPECT_EQ(rule(Loop(Opcode::kGemm), 70), "an");
  config_.uarch.acc_banks = 2;
  EXPECT_EQ(rule(Loop(Opcode::kAlu, isa::AluOp::kAdd), 50), "kReachCycles");
}

TEST_F(TimingDifferenceTest, TheFirstInTimeIsNamed) {
  Add(Module::kLoad, LoadOf(MemoryType::kInp, 0, 0, 4), 30, 60);
  Add(Module::kStore, StoreOf(0, 0, 4), 40, 50);
  Timeline right = left_;
  right.instructions[0].end = 61;
  right.instructions[1].end = 52;
  EXPECT_EQ(CompareInstructions(config_, left_, right, {})->place, "store, instruction 1 (0x50)");
  right.instructions.resize(1);
  EXPECT_EQ(CompareInstructions(config_, left_, right, {"RTL", "model"})->what,
            "starts in cycle 30 on the RTL, not at all on the model");
}

TEST_F(TimingDifferenceTest, TimelinesAreComparedSliceBySlice) {
  Add(Module::kLoad, LoadOf(MemoryType::kInp, 0, 0, 4), 30, 60);
  left_.stalls.emplace_back();
  left_.bus.push_back({20, 64, 0});
  const SideNames names = {"RTL", "model"};
  Timeline right = left_;
  EXPECT_EQ(CompareTimelines(left_, right, names), "");
  right.bus[0].read_bytes = 72;
  EXPECT_EQ(
      CompareTimelines(left_, right, names),
      "bus sample 0: RTL cycle 20, 64 bytes read, 0 written; model cycle 20, 72 bytes read, 0 "
      "written");
  right.stalls.clear();
  EXPECT_EQ(CompareTimelines(left_, right, names),
            "stall 0: RTL load, reason 0, queue load->compute, cycles 0 to 0; model none");
  right.instructions[0].word.low ^= 1;
  EXPECT_TRUE(CompareTimelines(left_, right, names).starts_with("slice 0: "));
  right.launches[0].end = 501;
  EXPECT_EQ(CompareTimelines(left_, right, names),
            "launch 0: RTL cycles 10 to 500; model cycles 10 to 501");
}

}  // namespace
}  // namespace vta::sim
