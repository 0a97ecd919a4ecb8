// GEMM and ALU on hand-computed cases, one for each row of the published disagreements that touches
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/sim/program.h"

namespace vta::sim {
namespace {

using isa::AluOp;
using isa::Fault;
using isa::MemoryType;
using isa::Opcode;
using testing::Each;
using testing::ElementsAre;

constexpr int32_t kMin32 = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax32 = std::numeric_limits<int32_t>::max();

// Runs one ALU instruction on rows 0 = `dst`, 1 = `src`; micro-op 0 is dst row 0, src row 1.
std::vector<int32_t> RunAlu(const isa::Instruction& alu, std::initializer_list<int32_t> dst,
                            std::initializer_list<int32_t> src) {
  Bench bench;
  bench.Put<int32_t>(0x100, dst);
  bench.Put<int32_t>(0x110, src);
  bench.PutUops(0, {{0, 1, 0}});
  bench.Add(LoadOf(MemoryType::kUop, 0, 0, 1)).Add(LoadOf(MemoryType::kAcc, 0, 0x10, 2));
  bench.Add(alu).Add(Finish());
  EXPECT_EQ(isa::Describe(bench.Run()), "finished");
  return bench.Acc(0);
}

TEST(Gemm, MultipliesByTheTransposedWeights) {
  Bench bench;
  bench.Put<int8_t>(0x40, {1, 2, -3, -128});
  bench.Put<int8_t>(0x80, {1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, -128});
  bench.Put<int32_t>(0x100, {10, 20, kMax32, 40});
  bench.PutUops(0, {{2, 3, 4}});
  bench.Add(LoadOf(MemoryType::kUop, 0, 0, 1)).Add(LoadOf(MemoryType::kInp, 3, 0x10, 1));
  bench.Add(LoadOf(MemoryType::kWgt, 4, 0x8, 1)).Add(LoadOf(MemoryType::kAcc, 2, 0x10, 1));
  bench.Add(Loop(Opcode::kGemm, 0, 1)).Add(Finish());
  const isa::LaunchResult result = bench.Run();
  // 10+1, 20+2, max+(1+2-3), 40+16384
  EXPECT_THAT(bench.Acc(2), ElementsAre(11, 22, kMax32, 16424));
  EXPECT_THAT(bench.Out(2), ElementsAre(11, 22, -1, 40));
  EXPECT_EQ(result.counters.macs, 16);
  EXPECT_EQ(result.counters.gemm_uops, 1);
}

TEST(Gemm, ResetIgnoresSourcesAndClearsOut) {
  Bench bench;
  bench.PutUops(0, {{5, 15, 15}});
  bench.Add(LoadOf(MemoryType::kUop, 0, 0, 1)).Add(AluImm(AluOp::kAdd, 0, 1, 77));
  isa::Instruction reset = Loop(Opcode::kGemm, 0, 1);
  reset.reset = 1;
  reset.iter_in = 2;
  reset.src_factor_in = reset.wgt_factor_in = 15;  // far past both buffers: not checked
  bench.Add(Finish());
  bench.Run();
  EXPECT_THAT(bench.Out(5), Each(77));
  bench.Add(reset).Add(Finish());
  EXPECT_EQ(bench.Run().counters.macs, 0);
  EXPECT_THAT(bench.Acc(5), Each(0));
  EXPECT_THAT(bench.Out(5), Each(0));
}

// Weights e + 1 at [0][0] of element e, in a machine whose inp 0 holds {3, 0, 0, 0}.
Bench OverwriteBench(const std::vector<isa::Uop>& uops) {
  Bench bench;
  bench.Put<int8_t>(0x40, {3, 0, 0, 0});
  for (int e = 0; e < 8; ++e) bench.dram[0x80 + 16 * e] = e + 1;
  bench.Put<int32_t>(0x100, {1000, 2000, kMax32, kMin32});
  for (int64_t i = 0; i < std::ssize(uops); ++i) bench.PutUops(4 * i, {uops[i]});
  bench.Add(LoadOf(MemoryType::kUop, 0, 0, std::ssize(uops)));
  bench.Add(LoadOf(MemoryType::kInp, 0, 0x10, 1)).Add(LoadOf(MemoryType::kWgt, 0, 0x8, 8));
  bench.Add(LoadOf(MemoryType::kAcc, 2, 0x10, 1));
  return bench;
}

TEST(Gemm, OverwriteForgetsWhatTheRowHeld) {
  // One micro-op; two of the same row; a third one of another row in between.
  for (const auto& [uops, sum] : {std::pair<std::vector<isa::Uop>, int>{{{2, 0, 6}}, 21},
                                  {{{2, 0, 6}, {2, 0, 1}}, 6},
                                  {{{2, 0, 6}, {3, 0, 5}, {2, 0, 7}}, 24}}) {
    Bench bench = OverwriteBench(uops);
    isa::Instruction gemm = Loop(Opcode::kGemm, 0, std::ssize(uops));
    gemm.overwrite = 1;
    bench.Add(gemm).Add(Finish());
    const isa::LaunchResult result = bench.Run();
    EXPECT_THAT(bench.Acc(2), ElementsAre(sum, 0, 0, 0));
    EXPECT_THAT(bench.Out(2), ElementsAre(sum, 0, 0, 0));
    EXPECT_EQ(result.counters.macs, 16 * std::ssize(uops));
  }
}

TEST(Gemm, OverwriteChecksItsSourcesAndResetComesFirst) {
  isa::Instruction gemm = Loop(Opcode::kGemm, 0, 1);
  gemm.overwrite = 1, gemm.iter_in = 2, gemm.wgt_factor_in = 9;
  Bench bench = OverwriteBench({{2, 0, 7}});
  bench.Add(gemm).Add(Finish());
  const isa::LaunchResult result = bench.Run();
  EXPECT_EQ(result.modules[1].fault, Fault::kIndexOutOfRange);
  EXPECT_EQ(result.counters.gemm_uops, 1);
  EXPECT_EQ(bench.Acc(2)[0], 24);
  gemm.reset = 1;
  bench.Add(gemm).Add(Finish());
  EXPECT_EQ(bench.Run().counters.macs, 0);
  EXPECT_THAT(bench.Acc(2), Each(0));
}

TEST(Gemm, AllFactors) {
  Bench bench;
  // inp element e holds e + 1 in lane 0, wgt element e holds e + 1 at [0][0].
  for (int e = 0; e < 8; ++e) {
    bench.dram[0x40 + 4 * e] = e + 1;
    bench.dram[0x80 + 16 * e] = e + 1;
  }
  bench.PutUops(0, {{1, 0, 0}, {1, 1, 0}});
  bench.Add(LoadOf(MemoryType::kUop, 0, 0, 2)).Add(LoadOf(MemoryType::kInp, 0, 0x10, 8));
  bench.Add(LoadOf(MemoryType::kWgt, 0, 0x8, 8));
  isa::Instruction gemm = Loop(Opcode::kGemm, 0, 2);
  gemm.iter_out = 2, gemm.iter_in = 3;
  gemm.dst_factor_out = 4, gemm.dst_factor_in = 1;
  gemm.src_factor_out = 0, gemm.src_factor_in = 2;
  gemm.wgt_factor_out = 3, gemm.wgt_factor_in = 1;
  bench.Add(gemm).Add(Finish());
  EXPECT_EQ(isa::Describe(bench.Run()), "finished");
  for (int o = 0; o < 2; ++o)
    for (int i = 0; i < 3; ++i) {
      const int w = 1 + 3 * o + i;
      EXPECT_EQ(bench.Acc(1 + 4 * o + i)[0], w * (1 + 2 * i) + w * (2 + 2 * i)) << o << i;
    }
}

TEST(Gemm, FaultKeepsEarlierMicroOps) {
  Bench bench;
  bench.Put<int8_t>(0x40, {1, 0, 0, 0});
  bench.Put<int8_t>(0x80, {1, 1, 1, 1});
  bench.PutUops(0, {{14, 0, 0}});
  bench.Add(LoadOf(MemoryType::kUop, 0, 0, 1)).Add(LoadOf(MemoryType::kInp, 0, 0x10, 1));
  bench.Add(LoadOf(MemoryType::kWgt, 0, 0x8, 1));
  isa::Instruction gemm = Loop(Opcode::kGemm, 0, 1);
  gemm.iter_out = 5;
  gemm.dst_factor_out = 1;
  bench.Add(gemm).Add(Finish());
  const isa::LaunchResult result = bench.Run();
  EXPECT_EQ(result.modules[1].fault, Fault::kIndexOutOfRange);
  EXPECT_EQ(result.modules[1].index, 3);
  EXPECT_EQ(result.counters.gemm_uops, 2);
  EXPECT_EQ(bench.Acc(14)[0], 1);
  EXPECT_EQ(bench.Acc(15)[0], 1);
}

TEST(Gemm, MicroOpIndexPastItsBufferFaults) {
  Bench bench;
  bench.Add(Loop(Opcode::kGemm, 15, 17)).Add(Finish());
  const isa::LaunchResult result = bench.Run();
  EXPECT_EQ(result.modules[1].fault, Fault::kIndexOutOfRange);
  EXPECT_EQ(result.counters.gemm_uops, 1);
}

TEST(Gemm, ZeroTripsDoNothing) {
  Bench bench;
  isa::Instruction none = Loop(Opcode::kGemm, 0, 1);
  none.iter_in = 0;
  bench.Add(none);
  none = Loop(Opcode::kGemm, 5, 5);
  bench.Add(none);
  none = Alu(AluOp::kAdd, 9, 3);
  none.iter_out = 16383;
  bench.Add(none).Add(Finish());
  const isa::LaunchResult result = bench.Run();
  EXPECT_EQ(isa::Describe(result), "finished");
  EXPECT_EQ(result.counters.gemm_uops + result.counters.alu_uops, 0);
}

TEST(Alu, MinMaxAddMulPerLane) {
  EXPECT_THAT(RunAlu(Alu(AluOp::kMin, 0, 1), {-5, 5, 0, kMin32}, {5, -5, 0, 1}),
              ElementsAre(-5, -5, 0, kMin32));
  EXPECT_THAT(RunAlu(Alu(AluOp::kMax, 0, 1), {-5, 5, 0, kMin32}, {5, -5, 0, 1}),
              ElementsAre(5, 5, 0, 1));
  EXPECT_THAT(RunAlu(Alu(AluOp::kAdd, 0, 1), {kMax32, kMin32, 1, 2}, {1, -1, 1, -3}),
              ElementsAre(kMin32, kMax32, 2, -1));
  EXPECT_THAT(RunAlu(Alu(AluOp::kMul, 0, 1), {65536, -3, kMin32, 7}, {65536, 5, -1, -7}),
              ElementsAre(0, -15, kMin32, -49));
}

TEST(Alu, ShiftByLane) {
  EXPECT_THAT(RunAlu(Alu(AluOp::kShr, 0, 1), {-256, -256, 1, 1}, {4, 40, -31, -32}),
              ElementsAre(-16, -1, kMin32, 0));
  EXPECT_THAT(RunAlu(Alu(AluOp::kShr, 0, 1), {-1, 3, 5, 5}, {kMax32, -1, kMin32, 0}),
              ElementsAre(-1, 6, 0, 5));
}

TEST(Alu, ShiftByImmediate) {
  const std::initializer_list<int32_t> dst = {-256, 256, 1, kMin32}, none = {0, 0, 0, 0};
  EXPECT_THAT(RunAlu(AluImm(AluOp::kShr, 0, 1, 16), dst, none), ElementsAre(-1, 0, 0, -32768));
  EXPECT_THAT(RunAlu(AluImm(AluOp::kShr, 0, 1, 32), dst, none), ElementsAre(-1, 0, 0, -1));
  EXPECT_THAT(RunAlu(AluImm(AluOp::kShr, 0, 1, -1), dst, none), ElementsAre(-512, 512, 2, 0));
  EXPECT_THAT(RunAlu(AluImm(AluOp::kShr, 0, 1, -17), dst, none),
              ElementsAre(-256 * 131072, 256 * 131072, 131072, 0));
  EXPECT_THAT(RunAlu(AluImm(AluOp::kShr, 0, 1, -32768), dst, none), Each(0));
}

TEST(Alu, ImmediateReadsDstWhateverSrcSays) {
  EXPECT_THAT(RunAlu(AluImm(AluOp::kAdd, 0, 1, -1), {1, 2, 3, 4}, {50, 50, 50, 50}),
              ElementsAre(0, 1, 2, 3));
  // src past the buffer is not checked with an immediate, but is without.
  for (bool imm : {true, false}) {
    Bench bench;
    bench.PutUops(0, {{0, 15, 0}});
    isa::Instruction alu = imm ? AluImm(AluOp::kAdd, 0, 1, 1) : Alu(AluOp::kAdd, 0, 1);
    alu.iter_in = 2;
    alu.src_factor_in = 1;
    bench.Add(LoadOf(MemoryType::kUop, 0, 0, 1)).Add(alu).Add(Finish());
    const isa::LaunchResult result = bench.Run();
    EXPECT_EQ(result.modules[1].fault, imm ? Fault::kNone : Fault::kIndexOutOfRange);
    EXPECT_EQ(result.counters.alu_uops, imm ? 2 : 1);
  }
}

TEST(Alu, MicroOpsRunOneAfterTheOther) {
  Bench bench;
  bench.Put<int32_t>(0x100, {1, 1, 1, 1});
  bench.PutUops(0, {{1, 0, 0}, {2, 1, 0}, {2, 2, 0}});
  bench.Add(LoadOf(MemoryType::kUop, 0, 0, 3)).Add(LoadOf(MemoryType::kAcc, 0, 0x10, 1));
  bench.Add(Alu(AluOp::kAdd, 0, 3)).Add(Finish());
  bench.Run();
  EXPECT_THAT(bench.Acc(1), Each(1));
  EXPECT_THAT(bench.Acc(2), Each(2));  // 0 + row 1, then doubled
}

// Parameters of identity: multiplier 2^30 with exponent 1.
isa::RequantLane Identity() { return {0, 1 << 30, 1, 0, -128, 127}; }

void PutBlock(Bench& bench, int64_t address, const isa::RequantLane& lane) {
  const auto row = [&](int64_t at, int32_t v) { bench.Put<int32_t>(at, {v, v, v, v}); };
  row(address, lane.bias);
  row(address + 16, lane.multiplier);
  row(address + 32, isa::PackRequant(lane));
}

TEST(Requant, RescalesClampsAndNarrows) {
  for (int64_t rounding : {0, 1}) {
    Bench bench;
    isa::RequantLane lane = Identity();
    lane.exponent = 0;  // halves
    lane.bias = 1;
    lane.zero_point = 3;
    lane.low = -2;
    PutBlock(bench, 0x100, lane);
    // (v + 1) / 2 + 3: -5 -> -2 + 3; -4 -> -1.5: single -1 + 3, double: the product rounds ties up
    bench.Put<int32_t>(0x130, {-5, -4, 1000, -1000});
    bench.PutUops(0, {{3, 0, 0}});
    isa::Instruction set = Insn(Opcode::kSet);
    set.mode = static_cast<int64_t>(isa::Mode::kRounding);
    set.value = rounding;
    bench.Add(set).Add(LoadOf(MemoryType::kUop, 0, 0, 1)).Add(LoadOf(MemoryType::kAcc, 0, 0x10, 4));
    bench.Add(Alu(AluOp::kRequant, 0, 1)).Add(Finish());
    bench.Run();
    EXPECT_THAT(bench.Acc(3), ElementsAre(1, 2, 127, -2)) << rounding;
    EXPECT_THAT(bench.Out(3), ElementsAre(1, 2, 127, -2));
  }
}

TEST(Lut, LooksTheCodeUp) {
  Bench bench;
  isa::RequantLane lane = Identity();
  lane.zero_point = 3;
  lane.low = -2;
  PutBlock(bench, 0x100, lane);
  // Plus 3, at least -2: codes 3, -1, 127, -2.
  bench.Put<int32_t>(0x130, {0, -4, 1000, -1000});
  bench.PutUops(0, {{3, 0, 0}});
  for (const auto& [place, byte] : {std::pair(3, 77), {255, -128}, {127, -1}, {254, 5}})
    bench.dram[0x200 + place] = static_cast<uint8_t>(byte);
  bench.Add(LoadOf(MemoryType::kUop, 0, 0, 1)).Add(LoadOf(MemoryType::kAcc, 0, 0x10, 4));
  bench.Add(LoadOf(MemoryType::kLut, 0, 2, 1)).Add(Alu(AluOp::kLut, 0, 1)).Add(Finish());
  const isa::LaunchResult result = bench.Run();
  EXPECT_THAT(bench.Acc(3), ElementsAre(77, -128, -1, 5));
  EXPECT_THAT(bench.Out(3), ElementsAre(77, -128, -1, 5));
  // A table counts as so many micro-ops.
  EXPECT_EQ(result.counters.bytes[static_cast<int>(MemoryType::kUop)], 4 + 256);
}

TEST(Requant, RoundingModesDifferOnNegativeTies) {
  for (int64_t rounding : {0, 1}) {
    Bench bench;
    isa::RequantLane lane = Identity();
    lane.exponent = -1;  // quarters
    PutBlock(bench, 0x100, lane);
    bench.Put<int32_t>(0x130, {-6, 6, -2, 2});  // -1.5, 1.5, -0.5, 0.5
    bench.PutUops(0, {{3, 0, 0}});
    isa::Instruction set = Insn(Opcode::kSet);
    set.mode = static_cast<int64_t>(isa::Mode::kRounding);
    set.value = rounding;
    bench.Add(set).Add(LoadOf(MemoryType::kUop, 0, 0, 1)).Add(LoadOf(MemoryType::kAcc, 0, 0x10, 4));
    bench.Add(Alu(AluOp::kRequant, 0, 1)).Add(Finish());
    bench.Run();
    // single: ties up; double: the halves are exact, then ties away from zero
    if (rounding == 0) {
      EXPECT_THAT(bench.Acc(3), ElementsAre(-1, 2, 0, 1));
    } else {
      EXPECT_THAT(bench.Acc(3), ElementsAre(-2, 2, -1, 1));
    }
  }
}

TEST(Requant, BlockIsHeldUntilSrcChanges) {
  Bench bench;
  PutBlock(bench, 0x100, Identity());
  bench.Put<int32_t>(0x130, {9, 9, 9, 9});
  // Row 0 is the block's bias: the first micro-op rewrites it, the second must not see that.
  bench.PutUops(0, {{1, 0, 0}, {3, 0, 0}});
  bench.Add(LoadOf(MemoryType::kUop, 0, 0, 2)).Add(LoadOf(MemoryType::kAcc, 0, 0x10, 4));
  bench.Add(Alu(AluOp::kRequant, 0, 2)).Add(Finish());
  bench.Run();
  EXPECT_THAT(bench.Acc(1), Each(127));  // the multiplier itself, clamped
  EXPECT_THAT(bench.Acc(3), Each(9));
}

TEST(Requant, BlockPastTheBufferFaults) {
  Bench bench;
  bench.PutUops(0, {{0, 13, 0}, {0, 14, 0}});
  bench.Add(LoadOf(MemoryType::kUop, 0, 0, 2)).Add(Alu(AluOp::kRequant, 0, 2)).Add(Finish());
  const isa::LaunchResult result = bench.Run();
  EXPECT_EQ(result.counters.alu_uops, 1);
  EXPECT_EQ(result.modules[1].fault, Fault::kIndexOutOfRange);
}

TEST(Requant, NarrowMultipliersDropLowBits) {
  isa::Config config = SmallConfig();
  config.arch.requant_multiplier_bits = 8;
  Bench bench(config);
  isa::RequantLane lane = Identity();
  lane.multiplier = (1 << 30) + (1 << 23);  // the leading 8 bits hold only 2^30
  lane.low = -128;
  PutBlock(bench, 0x100, lane);
  bench.Put<int32_t>(0x130, {100, 100, 100, 100});
  bench.PutUops(0, {{3, 0, 0}});
  bench.Add(LoadOf(MemoryType::kUop, 0, 0, 1)).Add(LoadOf(MemoryType::kAcc, 0, 0x10, 4));
  bench.Add(Alu(AluOp::kRequant, 0, 1)).Add(Finish());
  bench.Run();
  EXPECT_THAT(bench.Acc(3), Each(100));
}

}  // namespace
}  // namespace vta::sim
