// What follows an ALU instruction and may run beside it: each number of isa/spec/timing.h that two
// accumulator banks bring, on the RTL.
#include "tests/rtl/timing_fixture.h"

namespace vta::test {
namespace {

using isa::AluOp;
using isa::Instruction;
using isa::MemoryType;
using isa::Opcode;

// From an instruction's start to its first micro-op at the operations, and from its last one there
// to its end.
constexpr int64_t kFirst = kBetween + 1;
constexpr int64_t kRest = timing::kExecuteOverlapCycles;
static_assert(kFirst == timing::kFirstUopCycles);
static_assert(kFirst - 1 + kRest == timing::kExecuteFixedCycles);
// As kLongBetween, where the next one waits for the bank.
constexpr int64_t kLongAlone =
    timing::kExecuteFixedCycles + timing::kLongStages - kFirst - timing::kReleaseCycles;
static_assert(kLongAlone == kLongBetween + 3);

// Micro-ops of the lower bank, of the upper one, and those of one test.
constexpr int64_t kBankUops = 60, kLow = 0, kHigh = kBankUops, kOwn = 2 * kBankUops;

class BesideTiming : public RtlTiming {
 protected:
  static void SetUpTestSuite() { Open("tests/rtl/configs/banks_8x8.json"); }

  static int64_t Half() { return config_->arch.acc_depth / 2; }
  static std::vector<isa::Uop> Table(const std::vector<isa::Uop>& own) {
    std::vector<isa::Uop> uops;
    for (int64_t bank : {0, 1})
      for (int64_t i = 0; i < kBankUops; ++i) uops.push_back({bank * Half() + i, 1, 3});
    uops.insert(uops.end(), own.begin(), own.end());
    return uops;
  }
  // Cycles from the start of the first instruction, which has micro-ops, to the end of the last
  // one. All of them wait behind a GEMM, at whose overlap the first one starts.
  static int64_t EndOf(const std::vector<Instruction>& insns,
                       const std::vector<isa::Uop>& own = {}) {
    std::vector<Instruction> stream = {Gemm(kLow, kBankUops, 10)};
    const int64_t alone = Cycles(stream, Table(own));
    stream.insert(stream.end(), insns.begin(), insns.end());
    return Cycles(stream, Table(own)) - alone + timing::kExecuteOverlapCycles;
  }
  // When the GEMM starts that comes last and ends last.
  static int64_t StartOf(std::vector<Instruction> insns, const std::vector<isa::Uop>& own = {},
                         int64_t bank = kHigh) {
    insns.push_back(Gemm(bank, kBankUops, 10));
    return EndOf(insns, own) - 10 * kBankUops - timing::kExecuteFixedCycles;
  }
  static Instruction Gemm(int64_t begin, int64_t uops, int64_t times = 1) {
    Instruction insn = sim::Loop(Opcode::kGemm, begin, begin + uops);
    insn.iter_in = times;
    return insn;
  }
  static Instruction Add(int64_t begin, int64_t uops, int64_t times = 1) {
    Instruction insn = sim::AluImm(AluOp::kAdd, begin, begin + uops, 3);
    insn.iter_in = times;
    return insn;
  }
  static Instruction Mul(int64_t begin, int64_t uops, int64_t times = 1) {
    Instruction insn = Add(begin, uops, times);
    insn.alu_opcode = static_cast<int64_t>(AluOp::kMul);
    return insn;
  }
  static Instruction Nothing() { return sim::LoadOf(MemoryType::kAcc, 0, 0, 0); }
};

// An ALU instruction of one micro-op in the lower bank that runs long.
constexpr int64_t kTimes = 100, kEnd = kTimes + timing::kExecuteFixedCycles;

TEST_F(BesideTiming, WhatFollowsAnAluInstructionStartsWhenItsRowsAreKnown) {
  EXPECT_EQ(StartOf({Add(kLow, 1, kTimes)}), timing::kReachCycles);
  EXPECT_EQ(StartOf({Add(kHigh, 1, kTimes)}, {}, kLow), timing::kReachCycles);
  // Or at its overlap, where that comes first.
  constexpr int64_t kSoon = timing::kReachCycles - kBetween;
  for (int64_t times : {kSoon - 1, kSoon, kSoon + 1})
    EXPECT_EQ(StartOf({Add(kLow, 1, times)}), std::min(times + kBetween, timing::kReachCycles));
}

TEST_F(BesideTiming, TheTimelineShowsWhatRunsBeside) {
  const auto slices = Slices({Add(kLow, 1, kTimes), Gemm(kHigh, 1), Nothing()}, Table({}));
  ASSERT_EQ(slices.size(), 5u);
  const sim::InstructionSlice &alu = slices[1], &gemm = slices[2], &nothing = slices[3];
  EXPECT_EQ(alu.cycles(), kEnd);
  EXPECT_EQ(gemm.begin, alu.begin + timing::kReachCycles);
  EXPECT_EQ(gemm.end, alu.end + 1);
  EXPECT_EQ(nothing.begin, gemm.begin + 1 + timing::kExecuteFixedCycles);
  EXPECT_EQ(nothing.end, gemm.end + 1);
}

TEST_F(BesideTiming, ALongFirstPassPutsThatOff) {
  for (int64_t uops : {2, 11, 12, 13, 14, 16}) {
    const int64_t last = timing::kFirstUopCycles + uops - 1;
    EXPECT_EQ(StartOf({Add(kLow, uops, 10)}),
              std::max(timing::kReachCycles, last + timing::kReachPassCycles))
        << uops;
  }
  // The last one comes a cycle after the one before it went on, and may wait then itself: in a
  // chain each but the first waits for the one before it.
  for (int64_t uops : {2, 3, 4, 5}) {
    const int64_t last = timing::kFirstUopCycles + (uops - 2) * timing::kLongWindowCycles + 1;
    EXPECT_EQ(StartOf({Mul(kOwn, uops, 10)}, std::vector<isa::Uop>(uops, {1, 1, 1})),
              std::max(timing::kReachCycles, last + timing::kReachPassCycles))
        << uops;
  }
  // A requant's first one waits for the block, and is the last one that comes if it is the only
  // one.
  for (int64_t uops : {1, 2, 9, 10, 16}) {
    Instruction requant = sim::Alu(AluOp::kRequant, kLow, kLow + uops);
    requant.iter_in = 10;
    const int64_t wait = uops == 1 ? 0 : timing::kRequantBlockCycles;
    const int64_t last = timing::kFirstUopCycles + wait + uops - 1;
    EXPECT_EQ(StartOf({requant}), std::max(timing::kReachCycles, last + timing::kReachPassCycles))
        << uops;
  }
}

TEST_F(BesideTiming, AKernelOfMoreMicroOpsLetsNothingBeside) {
  const int64_t most = timing::kKernelUops;
  EXPECT_LT(StartOf({Add(kLow, most, 10)}), 10 * most);
  EXPECT_EQ(StartOf({Add(kLow, most + 1, 10)}), 10 * (most + 1) + kBetween);
  EXPECT_EQ(StartOf({Mul(kLow, most + 1, 10)}), 10 * (most + 1) + kLongAlone);
}

TEST_F(BesideTiming, AnAluInstructionInBothBanksLetsNothingBeside) {
  const int64_t half = Half();
  // By its micro-ops: dst and, without an immediate value, src.
  EXPECT_EQ(StartOf({Add(kOwn, 2, 50)}, {{0, 0, 0}, {half, 0, 0}}), 100 + kBetween);
  EXPECT_EQ(StartOf({Add(kOwn, 1, 100)}, {{0, half, 0}}), timing::kReachCycles);
  Instruction tensor = sim::Alu(AluOp::kAdd, kOwn, kOwn + 1);
  tensor.iter_in = 100;
  EXPECT_EQ(StartOf({tensor}, {{0, half, 0}}), 100 + kBetween);
  EXPECT_EQ(StartOf({tensor}, {{0, half - 1, 0}}), timing::kReachCycles);
  EXPECT_EQ(StartOf({tensor}, {{half, half, 0}}, kLow), timing::kReachCycles);
  EXPECT_EQ(StartOf({tensor}, {{half, half - 1, 0}}, kLow), 100 + kBetween);
  // By its factors.
  Instruction walk = Add(kOwn, 1, 30);
  walk.dst_factor_in = 1, walk.iter_out = 3, walk.dst_factor_out = 4;
  for (bool beside : {true, false})
    EXPECT_EQ(StartOf({walk}, {{half - 29 - 8 - beside, 0, 0}}),
              beside ? timing::kReachCycles : 90 + kBetween);
  // By the rows of a block.
  Instruction requant = sim::Alu(AluOp::kRequant, kOwn, kOwn + 1);
  requant.iter_in = 20;
  EXPECT_EQ(StartOf({requant}, {{0, half - 3, 0}}), timing::kReachCycles);
  EXPECT_EQ(StartOf({requant}, {{0, half - 2, 0}}),
            19 * timing::kLongWindowCycles + 1 + timing::kRequantBlockCycles + kLongAlone);
}

// Of a short operation a GEMM in the same bank takes no later than at the overlap of one bank, of a
// long one three cycles later.
TEST_F(BesideTiming, AGemmInTheSameBankWaitsForTheEnd) {
  constexpr int64_t kUops = 7;
  const auto gemm_end = [](int64_t end) {  // its first micro-op goes on kReleaseCycles before
    return end - timing::kReleaseCycles + kUops - 1 + kRest;
  };
  // Beside, and at the overlap, which is after the end of the GEMM in front.
  for (int64_t times : {100, 3, 5, 11}) {
    const int64_t end = times + timing::kExecuteFixedCycles;
    EXPECT_EQ(EndOf({Add(kLow, 1, times), Gemm(kLow, kUops)}), gemm_end(end)) << times;
    EXPECT_EQ(gemm_end(end), times + kBetween + kUops + timing::kExecuteFixedCycles);
  }
  for (int64_t uops : {1, 2, 16, 30}) {
    const int64_t end = uops + timing::kExecuteFixedCycles + timing::kLongStages;
    EXPECT_EQ(EndOf({Mul(kLow, uops), Gemm(kLow, kUops)}), gemm_end(end)) << uops;
    EXPECT_EQ(gemm_end(end), uops + kLongAlone + kUops + timing::kExecuteFixedCycles);
  }
  // Only the micro-ops of that bank wait, where it was known: with a larger kernel, at the overlap,
  // all do.
  const std::vector<isa::Uop> own = {{Half(), 1, 3}, {Half() + 1, 1, 3}, {0, 1, 3}};
  const Instruction last = Gemm(kOwn, 3);
  EXPECT_EQ(EndOf({Add(kLow, 1, 100), last}, own), kEnd - timing::kReleaseCycles + kRest);
  EXPECT_EQ(
      EndOf({Mul(kLow, 30), last}, own),
      30 + timing::kExecuteFixedCycles + timing::kLongStages - timing::kReleaseCycles + 2 + kRest);
}

TEST_F(BesideTiming, InstructionsRetireInOrderOneACycle) {
  const Instruction alu = Add(kLow, 1, kTimes);
  for (int64_t n : {0, 1, 2, 3, 4, 5, 9}) {
    std::vector<Instruction> stream = {alu};
    stream.insert(stream.end(), n, Nothing());
    EXPECT_EQ(EndOf(stream), kEnd + n) << n;
  }
  for (int64_t n : {1, 2, 3}) {
    std::vector<Instruction> stream = {alu};
    stream.insert(stream.end(), n, Gemm(kHigh, 2));
    EXPECT_EQ(EndOf(stream), kEnd + n) << n;
  }
}

TEST_F(BesideTiming, AtMostFourHaveNotRetired) {
  const int64_t most = timing::kOlderInstructions;
  for (int64_t n = 0; n < most + 4; ++n) {
    std::vector<Instruction> stream = {Add(kLow, 1, kTimes)};
    stream.insert(stream.end(), n, Nothing());
    // Each of nothing takes a cycle.
    EXPECT_EQ(StartOf(stream), n < most ? timing::kReachCycles + n : kEnd + 1 + n - most) << n;
  }
}

TEST_F(BesideTiming, AGemmBesideLetsTheNextOneOverlap) {
  const Instruction alu = Add(kLow, 1, kTimes), gemm = Gemm(kHigh, 10);
  EXPECT_EQ(StartOf({alu, gemm}), timing::kReachCycles + 10 + kBetween);
  EXPECT_EQ(StartOf({alu, gemm, gemm}), timing::kReachCycles + 2 * (10 + kBetween));
}

TEST_F(BesideTiming, APushWaitsForAnOlderOneToTheSameQueue) {
  using Push = int64_t Instruction::*;
  const Push prev = &Instruction::push_prev, next = &Instruction::push_next;
  const auto start = [](Push first, Push second) {
    std::vector<Instruction> stream = {Add(kLow, 1, kTimes), Nothing()};
    stream[0].*first = 1, stream[1].*second = 1;
    return StartOf(stream);  // there is space for three
  };
  EXPECT_EQ(start(prev, next), timing::kReachCycles + 1);
  EXPECT_EQ(start(next, prev), timing::kReachCycles + 1);
  EXPECT_EQ(start(prev, prev), kEnd + 1);
  EXPECT_EQ(start(next, next), kEnd + 1);
}

TEST_F(BesideTiming, AnAluInstructionStartsBehindAnother) {
  const Instruction alu = Add(kLow, 1, kTimes), other = Add(kHigh, 1, kTimes);
  EXPECT_EQ(EndOf({alu, other}), kTimes + kBetween + kEnd);
  EXPECT_EQ(EndOf({Mul(kLow, 30), other}), 30 + kLongBetween + kEnd);
  // What comes between has ended before: then when the first one ends.
  EXPECT_EQ(EndOf({alu, Gemm(kHigh, 2), other}), 2 * kEnd);
  EXPECT_EQ(EndOf({alu, Nothing(), other}), 2 * kEnd);
  // One without micro-ops is nothing.
  EXPECT_EQ(StartOf({alu, Add(kLow, 0)}), timing::kReachCycles + 1);
  // The second one lets others beside in its turn.
  EXPECT_EQ(StartOf({alu, other}, {}, kLow), kTimes + kBetween + timing::kReachCycles);
  EXPECT_EQ(StartOf({alu, Gemm(kHigh, 2), other}, {}, kLow), kEnd + timing::kReachCycles);
}

TEST_F(BesideTiming, ALoadWritesTheOtherBankBeside) {
  const Instruction alu = Add(kLow, 1, kTimes);
  const int64_t beats = config_->acc_bytes() * 8 / config_->uarch.bus_bits;
  for (int64_t rows : {1, 3, 10}) {
    const int64_t time = rows * beats + timing::kLoadFixedCycles;
    EXPECT_EQ(StartOf({alu, sim::LoadOf(MemoryType::kAcc, Half(), 0, rows)}),
              timing::kReachCycles + time)
        << rows;
    EXPECT_EQ(StartOf({alu, sim::LoadOf(MemoryType::kAcc, Half() - rows, 0, rows)}), kEnd + time)
        << rows;
  }
  // Row by row: of these the second one waits.
  const Instruction high = Add(kHigh, 1, kTimes);
  EXPECT_EQ(StartOf({high, sim::LoadOf(MemoryType::kAcc, Half() - 1, 0, 2)}, {}, kLow),
            kEnd + beats + timing::kLoadFixedCycles);
  EXPECT_EQ(StartOf({high, sim::LoadOf(MemoryType::kAcc8, Half() - 2, 0, 4)}, {}, kLow),
            kEnd + 2 * beats / 4 + timing::kLoadFixedCycles);
}

TEST_F(BesideTiming, ALoadOfMicroOpsOverTheKernelChangesNothing) {
  const int64_t bus_uops = config_->uarch.bus_bits / 32;
  for (int64_t uops : {2, 16}) {
    // The kernel that runs becomes one of the other bank.
    const Instruction load = sim::LoadOf(MemoryType::kUop, kLow, kHigh, 16);
    EXPECT_EQ(StartOf({Add(kLow, uops, 10), load}),
              std::max(timing::kReachCycles,
                       timing::kFirstUopCycles + uops - 1 + timing::kReachPassCycles) +
                  16 / bus_uops + timing::kUopLoadFixedCycles)
        << uops;
  }
}

TEST_F(BesideTiming, SetTakesACycleBeside) {
  Instruction requant = sim::Alu(AluOp::kRequant, kLow, kLow + 1);
  requant.iter_in = 20;
  Instruction set = sim::Insn(Opcode::kSet);
  set.mode = static_cast<int64_t>(isa::Mode::kRounding), set.value = 1;
  EXPECT_EQ(StartOf({requant, set}), timing::kReachCycles + 1);
}

// An instruction that ends in the cycle in which the next one is overlapped leaves that one's bank
// locked: a mul of one micro-op behind another one is certain just when that ends.
TEST_F(BesideTiming, AGemmWaitsForTheSecondOfTwoThatOverlap) {
  const auto fixed = [](bool is_long) {
    return timing::kExecuteFixedCycles + (is_long ? timing::kLongStages : 0);
  };
  const auto overlap = [](bool is_long) {
    return is_long ? timing::kLongOverlapCycles : timing::kExecuteOverlapCycles;
  };
  constexpr int64_t kEndInFront = kBankUops + timing::kExecuteFixedCycles;
  for (int64_t first : {1, 2, 20})
    for (int64_t second : {1, 2, 3, 5})
      for (const auto& [long1, long2] : {std::pair{1, 1}, {0, 1}, {1, 0}, {0, 0}}) {
        const int64_t start1 = kEndInFront - overlap(false), end1 = start1 + first + fixed(long1);
        const int64_t start2 = std::max(end1 - overlap(long1), kEndInFront);
        const int64_t end2 = start2 + second + fixed(long2);
        const int64_t start3 = std::max(end2 - overlap(long2), end1);
        const int64_t goes = std::max(start3 + kFirst, end2 - timing::kReleaseCycles);
        // The rows are not 0.
        EXPECT_EQ(EndOf({Add(kLow, kBankUops), long1 ? Mul(kLow, first) : Add(kLow, first),
                         long2 ? Mul(kLow, second) : Add(kLow, second), Gemm(kLow, 1)}),
                  goes + kRest)
            << first << " " << second << " " << long1 << " " << long2;
        if (HasFailure()) return;
      }
}

}  // namespace
}  // namespace vta::test
