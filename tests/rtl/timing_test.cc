// What instructions cost on the RTL: each row of hw/README.md's latency table, on the default
// config (64-bit bus, 16 cycles of memory latency).
#include "tests/rtl/timing_fixture.h"

namespace vta::test {
namespace {

using isa::AluOp;
using isa::Instruction;
using isa::MemoryType;
using isa::Opcode;

// One read port, packed multipliers.
class RtlTimingOnePort : public RtlTiming {
 protected:
  static void SetUpTestSuite() { Open("tests/rtl/configs/batch2_8x32.json"); }
};

class RtlTimingLut : public RtlTiming {
 protected:
  static void SetUpTestSuite() { Open("isa/configs/only_lut.json"); }
};

static_assert(kLongBetween + timing::kRequantBlockCycles <= 11);

TEST_F(RtlTiming, GemmTakesAMicroOpACycle) {
  for (int64_t count : {1, 2, 24, 100}) {
    EXPECT_EQ(Period(sim::Loop(Opcode::kGemm, 0, count), Rows(count)), count + kBetween);
    EXPECT_EQ(Period(sim::Loop(Opcode::kGemm, 0, count), SameRow(count)), count + kBetween);
    Instruction reset = sim::Loop(Opcode::kGemm, 0, count);
    reset.reset = 1;
    EXPECT_EQ(Period(reset, Rows(count)), count + kBetween);
  }
}

TEST_F(RtlTiming, OnlyMicroOpsOverlap) {
  const Instruction gemm = sim::Loop(Opcode::kGemm, 0, 10);
  const Instruction mul = sim::AluImm(AluOp::kMul, 0, 20, 1);
  const Instruction requant = sim::Alu(AluOp::kRequant, 0, 20);
  const Instruction nothing = sim::LoadOf(MemoryType::kAcc, 0, 0, 0);
  const int64_t alone = timing::kExecuteFixedCycles;
  EXPECT_EQ(GroupPeriod({gemm, nothing}), 10 + alone + 1);
  EXPECT_EQ(GroupPeriod({sim::Alu(AluOp::kAdd, 0, 20), nothing}), 20 + alone + 1);
  EXPECT_EQ(GroupPeriod({mul, nothing}), 20 + alone + timing::kLongStages + 1);
  EXPECT_EQ(GroupPeriod({requant, nothing}),
            20 + alone + timing::kLongStages + timing::kRequantBlockCycles + 1);
  EXPECT_EQ(GroupPeriod({gemm, sim::AluImm(AluOp::kAdd, 0, 20, 1)}), 30 + 2 * kBetween);
  EXPECT_EQ(GroupPeriod({gemm, mul}), 30 + kBetween + kLongBetween);
  EXPECT_EQ(GroupPeriod({gemm, requant}),
            30 + kBetween + kLongBetween + timing::kRequantBlockCycles);
}

TEST_F(RtlTiming, AtMostTwoOverlap) {
  const Instruction mul = sim::AluImm(AluOp::kMul, 0, 20, 1);
  for (int64_t count : {1, 2, 3, 4}) {
    const Instruction gemm = sim::Loop(Opcode::kGemm, 0, count);
    EXPECT_EQ(GroupPeriod({mul, gemm, gemm}),
              20 + kLongBetween + std::max(count + kBetween, timing::kLongOverlapCycles) + count +
                  kBetween);
  }
}

TEST_F(RtlTiming, APushWaitsForAnotherToTheSameQueue) {
  // The first GEMM keeps the others waiting until fetch has read them.
  constexpr int kCount = 20;
  const auto cycles = [&](int pushes_every) {
    std::vector<Instruction> stream = {sim::Loop(Opcode::kGemm, 0, 60)};
    stream[0].iter_in = 10;
    for (int i = 0; i < kCount; ++i) {
      stream.push_back(sim::Loop(Opcode::kGemm, 0, 1));
      stream.back().push_next = i % pushes_every == 0;
    }
    stream.push_back(sim::Loop(Opcode::kGemm, 0, 60));  // the last to end
    for (int i = 0; i < kCount; ++i) {
      stream.push_back(sim::StoreOf(0, 0, 0));
      stream.back().pop_prev = i % pushes_every == 0;
    }
    return Cycles(stream, Rows(60));
  };
  // By the rule.
  const auto last_start = [&](int64_t waits) {
    std::vector<int64_t> start(kCount + 1, 0);
    for (size_t i = 1; i <= kCount; ++i) {
      start[i] = start[i - 1] + 1 + kBetween;
      if (i > 1)
        start[i] = std::max(start[i], start[i - 2] + 1 + timing::kExecuteFixedCycles + waits);
    }
    return start.back();
  };
  const int64_t delays = last_start(1) - last_start(0);
  EXPECT_GT(delays, 0);
  EXPECT_EQ(cycles(1) - cycles(kCount), delays);
  EXPECT_EQ(cycles(2) - cycles(kCount), 0) << "no two in a row push";
}

TEST_F(RtlTiming, GemmLoopsCostNothing) {
  Instruction insn = sim::Loop(Opcode::kGemm, 0, 3);
  insn.iter_out = 5;
  insn.iter_in = 7;
  EXPECT_EQ(Period(insn, SameRow(3)), 3 * 5 * 7 + kBetween);
}

TEST_F(RtlTiming, ShortAluOperationsTakeAMicroOpACycle) {
  for (AluOp op : {AluOp::kMin, AluOp::kMax, AluOp::kAdd, AluOp::kShr}) {
    EXPECT_EQ(Period(sim::AluImm(op, 0, 60, 3), SameRow(60)), 60 + kBetween);
    EXPECT_EQ(Period(sim::Alu(op, 0, 60), Rows(60)), 60 + kBetween);
    EXPECT_EQ(Period(sim::Alu(op, 0, 60), Chain(60)), 60 + kBetween);
  }
}

// Where nobody pops, each pushes while there is space; the last but the queue's two wait for ever.
TEST_F(RtlTimingOnePort, OverlappedInstructionsPushOnlyIntoSpace) {
  for (int64_t Instruction::*push : {&Instruction::push_prev, &Instruction::push_next}) {
    TestProgram program = ProgramOf({sim::Loop(Opcode::kGemm, 0, 50)}, Rows(50));
    for (int i = 0; i < 4; ++i) {
      program.instructions.push_back(sim::Loop(Opcode::kGemm, 0, 1));
      program.instructions.back().*push = 1;
    }
    EXPECT_EQ(trial_->Run(program, std::nullopt), "");
    EXPECT_EQ(trial_->result().outcome, isa::Outcome::kDeadlock);
  }
}

TEST_F(RtlTimingOnePort, OverwritingCostsNoTime) {
  for (int64_t count : {1, 2, 24}) {
    Instruction gemm = sim::Loop(Opcode::kGemm, 0, count);
    gemm.overwrite = 1;
    EXPECT_EQ(Period(gemm, Rows(count)), count + kBetween);
    EXPECT_EQ(Period(gemm, SameRow(count)), count + kBetween);
  }
}

TEST_F(RtlTimingOnePort, PackedMultipliersCostNoTime) {
  EXPECT_EQ(Period(sim::Loop(Opcode::kGemm, 0, 30), Rows(30)), 30 + kBetween);
}

TEST_F(RtlTimingOnePort, TensorMulTakesTwoCyclesAMicroOp) {
  EXPECT_EQ(Period(sim::Alu(AluOp::kMul, 0, 30), Rows(30)), 60 + kLongBetween);
  EXPECT_EQ(Period(sim::AluImm(AluOp::kMul, 0, 30, 3), Rows(30)), 30 + kLongBetween);
}

TEST_F(RtlTimingOnePort, TensorOperationsTakeTwoCyclesAMicroOp) {
  EXPECT_EQ(Period(sim::Alu(AluOp::kAdd, 0, 30), Rows(30)), 60 + kBetween);
  EXPECT_EQ(Period(sim::Alu(AluOp::kAdd, 0, 30), Chain(30)), 60 + kBetween);
  EXPECT_EQ(Period(sim::AluImm(AluOp::kAdd, 0, 30, 1), SameRow(30)), 30 + kBetween);
  const Instruction nothing = sim::LoadOf(MemoryType::kAcc, 0, 0, 0);
  EXPECT_EQ(GroupPeriod({sim::Alu(AluOp::kAdd, 0, 30), nothing}, Rows(30)),
            60 + timing::kExecuteFixedCycles + 1);
}

TEST_F(RtlTiming, LongOperationsWaitForRowsThatAreBeingWritten) {
  EXPECT_EQ(Period(sim::Alu(AluOp::kMul, 0, 60), Rows(60)), 60 + kLongBetween);
  EXPECT_EQ(Period(sim::AluImm(AluOp::kMul, 0, 60, 3), SameRow(60)),
            59 * timing::kLongWindowCycles + 1 + kLongBetween);
  EXPECT_EQ(Period(sim::Alu(AluOp::kMul, 0, 60), Chain(60)),
            59 * timing::kLongWindowCycles + 1 + kLongBetween);
  EXPECT_EQ(Period(sim::Alu(AluOp::kRequant, 0, 60), Rows(60)),
            60 + timing::kRequantBlockCycles + kLongBetween);
}

TEST_F(RtlTiming, RequantReadsItsBlockWhenSrcChanges) {
  std::vector<isa::Uop> uops = Rows(60);
  const int64_t one = Period(sim::Alu(AluOp::kRequant, 0, 60), uops);
  for (size_t i = 30; i < 60; ++i) uops[i].src = 4;
  EXPECT_EQ(Period(sim::Alu(AluOp::kRequant, 0, 60), uops),
            one + timing::kRequantBlockCycles + timing::kRequantDrainCycles);
}

TEST_F(RtlTimingLut, LutTakesWhatRequantTakes) {
  for (const AluOp op : {AluOp::kRequant, AluOp::kLut})
    EXPECT_EQ(Period(sim::Alu(op, 0, 60), Rows(60)),
              60 + timing::kRequantBlockCycles + kLongBetween);
}

TEST_F(RtlTimingLut, ATableTakesFourBytesACycle) {
  EXPECT_EQ(Period(sim::LoadOf(MemoryType::kLut, 0, 0, 1)), 64 + timing::kLoadFixedCycles);
}

TEST_F(RtlTiming, LoadsRunAtBusWidthBackToBack) {
  // 40 inp elements of two beats.
  EXPECT_EQ(Period(sim::LoadOf(MemoryType::kInp, 0, 0, 40)), 80);
  EXPECT_EQ(Period(sim::LoadOf(MemoryType::kWgt, 0, 0, 4)), 128);
  // Rows that are not contiguous, and an instruction of a few beats.
  EXPECT_EQ(Period(sim::Transfer(Opcode::kLoad, MemoryType::kInp, 0, 0, 14, 3, 5)), 84);
  EXPECT_EQ(Period(sim::LoadOf(MemoryType::kInp, 0, 0, 4)), 8);
}

TEST_F(RtlTiming, AccumulatorAndMicroOpLoadsRunAheadOfTheModule) {
  EXPECT_EQ(Period(sim::LoadOf(MemoryType::kAcc, 0, 0, 10)), 80 + timing::kLoadFixedCycles);
  EXPECT_EQ(Period(sim::LoadOf(MemoryType::kUop, 0, 0, 100)), 50 + timing::kUopLoadFixedCycles);
}

TEST_F(RtlTiming, ALoadThatWaitedForItsTokenAsksFirst) {
  // Compute hands each LOAD its token when the one before it has ended.
  const auto period = [](int64_t elements) {
    Instruction load = sim::LoadOf(MemoryType::kInp, 0, 0, elements);
    load.pop_next = load.push_next = 1;
    Instruction turn = sim::LoadOf(MemoryType::kAcc, 0, 0, 0);
    turn.pop_prev = turn.push_prev = 1;
    const auto cycles = [&](int64_t loads) {
      std::vector<Instruction> stream = {sim::LoadOf(MemoryType::kAcc, 0, 0, 0)};
      stream[0].push_prev = 1;
      for (int64_t i = 0; i < loads; ++i) stream.insert(stream.end(), {load, turn});
      return Cycles(stream);
    };
    return (cycles(60) - cycles(50)) / 10.0;
  };
  const double nothing = period(0);
  for (int64_t elements : {1, 4, 20}) {
    EXPECT_EQ(period(elements) - nothing,
              2 * elements + timing::kReadFixedCycles + config_->memory.read_latency_cycles)
        << elements;
  }
}

TEST_F(RtlTiming, PadsTakeACycleEach) {
  Instruction insn = sim::LoadOf(MemoryType::kInp, 0, 0, 40);
  insn.x_pad_left = 5;
  insn.y_pad_bottom = 1;
  EXPECT_EQ(Period(insn), 80 + 5 + 45);
}

TEST_F(RtlTiming, StoresTakeNinetyPercentOfTheBusAndMore) {
  const int64_t beats = 2 * 14 * 14;
  EXPECT_LE(Period(sim::StoreOf(0, 0, 14 * 14)), beats * 10 / 9);
  EXPECT_EQ(Period(sim::StoreOf(0, 0, 14 * 14)),
            beats + timing::kStoreFixedCycles + config_->memory.write_latency_cycles);
}

TEST_F(RtlTiming, DoubleBufferedStreamsFillTheBus) {
  // LOADs and GEMMs in turns over two slots, each large enough for the memory's latency: their
  // beats, two of each instruction's and no more.
  const auto cycles = [&](int tiles, int64_t elements) {
    std::vector<Instruction> stream;
    for (int i = 0; i < tiles; ++i) {
      stream.push_back(sim::LoadOf(MemoryType::kInp, i % 2 * elements, 0, elements));
      stream.back().pop_next = i > 1;
      stream.back().push_next = 1;
      stream.push_back(sim::Loop(Opcode::kGemm, 0, elements));
      stream.back().pop_prev = 1;
      stream.back().push_prev = 1;
    }
    return Cycles(stream, Rows(60));
  };
  for (int64_t elements : {36, 45, 60}) {
    EXPECT_EQ(cycles(200, elements) - cycles(100, elements), 100 * (2 * elements + 4)) << elements;
  }
}

// A slice begins in the cycle after the start, and ends behind that of the end.
TEST_F(RtlTiming, TheTimelineShowsStartsAndEnds) {
  Instruction last = sim::Loop(Opcode::kGemm, 0, 30), store = sim::StoreOf(0, 0, 4);
  last.push_next = store.pop_prev = 1;
  const std::vector<sim::InstructionSlice> slices =
      Slices({sim::Loop(Opcode::kGemm, 0, 20), last, store}, Rows(60));
  ASSERT_EQ(slices.size(), 5u);
  const sim::InstructionSlice &load = slices[0], &first = slices[1], &second = slices[2];
  EXPECT_EQ(first.begin, load.end);
  EXPECT_EQ(first.cycles(), 20 + timing::kExecuteFixedCycles);
  EXPECT_EQ(second.begin, first.end - timing::kExecuteOverlapCycles);
  EXPECT_EQ(second.cycles(), 30 + timing::kExecuteFixedCycles);
  EXPECT_EQ(slices[3].begin, second.end + 1);  // the token is there a cycle after its push
  for (const sim::InstructionSlice& slice : slices) EXPECT_EQ(slice.index, &slice - slices.data());
}

TEST_F(RtlTiming, FetchKeepsUpWithEmptyInstructions) {
  // Two beats an instruction.
  std::vector<Instruction> few(200, sim::LoadOf(MemoryType::kInp, 0, 0, 0));
  std::vector<Instruction> more(300, sim::LoadOf(MemoryType::kInp, 0, 0, 0));
  EXPECT_EQ(Cycles(more) - Cycles(few), 200);
}

}  // namespace
}  // namespace vta::test
