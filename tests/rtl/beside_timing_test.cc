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
static_assert(kFirst - 1 + kRest == timing::kExecuteFixedCycles);

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

// An instruction that ends in the cycle in which the next one is overlapped leaves that one's bank
// locked: a mul of one micro-op behind another one is certain just when that ends.
TEST_F(BesideTiming, AGemmWaitsForTheSecondOfTwoThatOverlap) {
  for (int64_t first : {1, 2, 20})
    for (int64_t second : {1, 2, 3, 5})
      for (const std::vector<Instruction>& pair :
           {std::vector{Mul(kLow, first), Mul(kLow, second)},
            std::vector{Add(kLow, first), Mul(kLow, second)},
            std::vector{Mul(kLow, first), Add(kLow, second)}}) {
        // The rows are not 0.
        std::vector<Instruction> stream = {Add(kLow, kBankUops), pair[0], pair[1], Gemm(kLow, 1)};
        EXPECT_GT(EndOf(stream), 0) << first << " " << second;
        if (HasFailure()) return;
      }
}

}  // namespace
}  // namespace vta::test
