// LOAD and STORE on hand-computed cases: padding, strides, zero sizes, partial effects of a fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/sim/program.h"

namespace vta::sim {
namespace {

using isa::AluOp;
using isa::Fault;
using isa::MemoryType;
using isa::Opcode;
using testing::Each;
using testing::ElementsAre;

// Bytes 1, 2, 3, ... from address 0.
void Count(Bench& bench, int bytes) {
  std::iota(bench.dram.begin(), bench.dram.begin() + bytes, 1);
}

TEST(Load, StridedAndPaddedTile) {
  Bench bench;
  Count(bench, 64);
  isa::Instruction load = Transfer(Opcode::kLoad, MemoryType::kInp, 2, 1, 2, 2, 3);
  load.y_pad_top = load.x_pad_left = load.x_pad_right = 1;
  // Old rows 2..13 hold 100, so that zeros are seen to be written.
  bench.Put<int8_t>(0x100, {100, 100, 100, 100});
  for (int row = 2; row < 15; ++row) bench.Add(LoadOf(MemoryType::kInp, row, 0x40, 1));
  bench.Add(load).Add(Finish());
  EXPECT_EQ(bench.Run().outcome, isa::Outcome::kFinished);
  for (int row : {2, 3, 4, 5, 6, 9, 10, 13}) EXPECT_THAT(bench.Inp(row), Each(0)) << row;
  EXPECT_THAT(bench.Inp(7), ElementsAre(5, 6, 7, 8));       // element 1
  EXPECT_THAT(bench.Inp(8), ElementsAre(9, 10, 11, 12));    // element 2
  EXPECT_THAT(bench.Inp(11), ElementsAre(17, 18, 19, 20));  // element 4
  EXPECT_THAT(bench.Inp(12), ElementsAre(21, 22, 23, 24));
  EXPECT_THAT(bench.Inp(14), Each(100));
}

TEST(Load, BottomPadRows) {
  Bench bench;
  bench.Put<int32_t>(0x100, {5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7});
  isa::Instruction load = LoadOf(MemoryType::kAcc, 1, 0x10, 1);
  load.y_pad_bottom = 1;
  bench.Add(LoadOf(MemoryType::kAcc, 1, 0x10, 3)).Add(load).Add(Finish());
  bench.Run();
  EXPECT_THAT(bench.Acc(1), Each(5));
  EXPECT_THAT(bench.Acc(2), Each(0));
  EXPECT_THAT(bench.Acc(3), Each(7));
}

TEST(Load, WeightsPadAndMicroOpsHaveRows) {
  Bench bench;
  Count(bench, 64);
  isa::Instruction wgt = LoadOf(MemoryType::kWgt, 3, 0, 1);
  wgt.x_pad_left = 1;
  bench.Add(wgt);
  bench.PutUops(0x200, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  bench.Add(Transfer(Opcode::kLoad, MemoryType::kUop, 1, 0x80, 2, 1, 2)).Add(Finish());
  EXPECT_EQ(bench.Run().outcome, isa::Outcome::kFinished);
  const Scratchpads& pads = bench.machine.scratchpads();
  EXPECT_EQ(pads.wgt.data()[3 * 16], 0);
  EXPECT_EQ(pads.wgt.data()[4 * 16 + 15], 16);
  EXPECT_EQ(pads.decoded_uop[1].src, 2);
  EXPECT_EQ(pads.decoded_uop[2].wgt, 9);
  EXPECT_EQ(pads.decoded_uop[3].dst, 0);
}

TEST(Load, PadByteOfSetPerModule) {
  Bench bench;
  isa::Instruction set = Insn(Opcode::kSet);
  set.mode = static_cast<int64_t>(isa::Mode::kPadLoad);
  set.value = 0x85;
  bench.Add(set);
  set.mode = static_cast<int64_t>(isa::Mode::kPadCompute);
  set.value = 0xfe;
  bench.Add(set);
  for (int64_t select : {0, 1})
    for (MemoryType type : {MemoryType::kInp, MemoryType::kAcc, MemoryType::kAcc8}) {
      isa::Instruction load = LoadOf(type, 4 * select + (type == MemoryType::kAcc8 ? 2 : 0), 0, 1);
      load.x_pad_right = 1;
      load.pad_select = select;
      bench.Add(load);
    }
  bench.Add(Finish());
  EXPECT_EQ(bench.Run().outcome, isa::Outcome::kFinished);
  EXPECT_THAT(bench.Inp(1), Each(0));
  EXPECT_THAT(bench.Inp(5), Each(-123));
  EXPECT_THAT(bench.Acc(1), Each(0));
  EXPECT_THAT(bench.Acc(5), Each(-2));
  EXPECT_THAT(bench.Acc(7), Each(-2));
  // The next launch starts with modes 0.
  isa::Instruction load = LoadOf(MemoryType::kInp, 8, 0, 1);
  load.x_pad_left = load.pad_select = 1;
  bench.Put<int8_t>(0, {1, 1, 1, 1});
  bench.Add(LoadOf(MemoryType::kInp, 8, 0, 1)).Add(load).Add(Finish());
  bench.Run();
  EXPECT_THAT(bench.Inp(8), Each(0));
}

TEST(Load, Acc8SignExtendsAndUsesTheBaseOfAcc) {
  Bench bench;
  bench.Put<int8_t>(0x40, {-1, 127, -128, 0});
  bench.Add(LoadOf(MemoryType::kAcc8, 3, 0, 1)).Add(Finish());
  isa::LaunchRequest request{Bench::kCode, bench.count, {}};
  request.base[isa::BaseRegister(MemoryType::kAcc)] = 0x40;
  const isa::LaunchResult result = bench.machine.Run(request, bench.dram);
  EXPECT_EQ(result.outcome, isa::Outcome::kFinished);
  EXPECT_THAT(bench.Acc(3), ElementsAre(-1, 127, -128, 0));
  EXPECT_EQ(result.counters.bytes[static_cast<int>(MemoryType::kAcc8)], 4);
}

TEST(Load, ZeroSizesMoveNothingPadsIncluded) {
  for (int zero : {0, 1}) {
    Bench bench;
    Count(bench, 64);
    bench.Add(LoadOf(MemoryType::kInp, 0, 0, 4));
    isa::Instruction load =
        Transfer(Opcode::kLoad, MemoryType::kInp, 0, 0, zero ? 0 : 1, zero ? 1 : 0, 1);
    load.y_pad_top = load.x_pad_left = 1;
    bench.Add(load).Add(Finish());
    EXPECT_EQ(bench.Run().outcome, isa::Outcome::kFinished);
    EXPECT_THAT(bench.Inp(0), ElementsAre(1, 2, 3, 4));
  }
}

TEST(Load, IndexFaultLeavesWhatCameBefore) {
  Bench bench;
  Count(bench, 64);
  bench.Add(LoadOf(MemoryType::kInp, 14, 0, 3)).Add(Finish());
  const isa::LaunchResult result = bench.Run();
  EXPECT_EQ(isa::Describe(result),
            "fault\n  load: halted with index out of range at instruction 0 (0x4000)\n"
            "  compute: FINISH waits for the other modules at instruction 1 (0x4010)");
  EXPECT_THAT(bench.Inp(14), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(bench.Inp(15), ElementsAre(5, 6, 7, 8));
  EXPECT_EQ(result.counters.bytes[static_cast<int>(MemoryType::kInp)], 8);
}

TEST(Load, PadPastTheBufferFaults) {
  Bench bench;
  isa::Instruction load = LoadOf(MemoryType::kInp, 15, 0, 1);
  load.x_pad_right = 1;
  bench.Add(load).Add(Finish());
  EXPECT_EQ(bench.Run().modules[0].fault, Fault::kIndexOutOfRange);
}

TEST(Load, BusErrorIsPerElement) {
  Bench bench;
  // The last whole element of DRAM lies at 0x7ffc; the launch's base moves elements off by 2.
  bench.Put<int8_t>(0x7ffa, {1, 2, 3, 4, 5, 6});
  bench.Add(LoadOf(MemoryType::kInp, 0, (0x7ffa - 2) / 4, 2)).Add(Finish());
  isa::LaunchRequest request{Bench::kCode, bench.count, {}};
  request.base[isa::BaseRegister(MemoryType::kInp)] = 2;
  const isa::LaunchResult result = bench.machine.Run(request, bench.dram);
  EXPECT_EQ(result.modules[0].fault, Fault::kBusError);
  EXPECT_THAT(bench.Inp(0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(bench.Inp(1), Each(0));
}

TEST(Load, ABasePastTheMemoryIsABusErrorNotAWrap) {
  Bench bench;
  bench.Add(LoadOf(MemoryType::kInp, 0, 4, 1)).Add(Finish());
  isa::LaunchRequest request{Bench::kCode, bench.count, {}};
  request.base.fill(~uint64_t{15});
  EXPECT_EQ(bench.machine.Run(request, bench.dram).modules[0].fault, Fault::kBusError);
}

TEST(Store, StridedFromOutIgnoringPads) {
  Bench bench;
  bench.PutUops(0, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}});
  bench.Add(LoadOf(MemoryType::kUop, 0, 0, 4));
  // Row r holds 300 + r in each lane; its low byte is 44 + r.
  for (int r = 0; r < 4; ++r) bench.Add(AluImm(AluOp::kAdd, r, r + 1, 300 + r));
  bench.Add(Insn(Opcode::kFinish));
  bench.Run();
  isa::Instruction store = Transfer(Opcode::kStore, MemoryType::kOut, 0, 0x10, 2, 2, 3);
  store.x_pad_left = store.y_pad_top = 7;
  bench.Add(store).Add(Finish());
  EXPECT_EQ(bench.Run().outcome, isa::Outcome::kFinished);
  EXPECT_EQ(bench.dram[0x40], 44);
  EXPECT_EQ(bench.dram[0x44], 45);
  EXPECT_EQ(bench.dram[0x48], 0);
  EXPECT_EQ(bench.dram[0x4c], 46);
  EXPECT_EQ(bench.dram[0x50], 47);
}

TEST(Store, FaultsPerElement) {
  Bench bench;
  bench.Add(StoreOf(15, 0x1ffe, 3)).Add(Finish());
  EXPECT_EQ(bench.Run().modules[2].fault, Fault::kIndexOutOfRange);
  bench.Add(StoreOf(0, 0x1ffe, 3)).Add(Finish());
  const isa::LaunchResult result = bench.Run();
  EXPECT_EQ(result.modules[2].fault, Fault::kBusError);
  EXPECT_EQ(result.counters.bytes[static_cast<int>(MemoryType::kOut)], 8);
}

TEST(Store, AccIsNotOut) {
  Bench bench;
  bench.Put<int32_t>(0x100, {7, 7, 7, 7});
  bench.Put<int8_t>(0x200, {9, 9, 9, 9});
  bench.Add(LoadOf(MemoryType::kAcc, 0, 0x10, 1)).Add(Finish());
  bench.Run();
  bench.Add(StoreOf(0, 0x80, 1)).Add(Finish());
  bench.Run();
  EXPECT_EQ(bench.dram[0x200], 0);  // OUT: never written by GEMM or ALU
}

}  // namespace
}  // namespace vta::sim
