// The DRAM timing model against values worked out by hand from its rules.
#include "sim/memory/dram.h"

#include <gtest/gtest.h>

namespace vta::sim {
namespace {

// 64-bit beats; 16 cycles to the first beat of a read, 8 to the response of a write.
isa::Memory Usual() { return {16, 8, 8, 16}; }

TEST(Dram, AReadStartsAfterItsLatencyAndMovesABeatACycle) {
  DramTiming dram(Usual(), 8);
  EXPECT_EQ(dram.interval(), 1);
  // Accepted in cycle 100: the first beat in 100 + 1 + 16.
  EXPECT_EQ(dram.Read(100, 0, 4), (BurstTiming{117, 120}));
  EXPECT_EQ(dram.Read(200, 0, 1), (BurstTiming{217, 217}));
}

TEST(Dram, ReadsFollowEachOtherWithoutAGap) {
  DramTiming dram(Usual(), 8);
  EXPECT_EQ(dram.Read(0, 0, 16), (BurstTiming{17, 32}));
  EXPECT_EQ(dram.Read(1, 0, 16), (BurstTiming{33, 48}));  // ready in 18, the channel in 33
  EXPECT_EQ(dram.Read(40, 0, 2), (BurstTiming{57, 58}));  // ready in 57, the channel long before
}

TEST(Dram, AWriteTakesBeatsAtOnceAndAnswersLater) {
  DramTiming dram(Usual(), 8);
  EXPECT_EQ(dram.Write(100, 0, 4), (BurstTiming{101, 104}));
  EXPECT_EQ(dram.Response(104), 113);
}

// The order of the calls is the order of acceptance; in one cycle the read is first.
TEST(Dram, ReadsAndWritesShareTheChannelInTheOrderOfAcceptance) {
  DramTiming read_first(Usual(), 8);
  EXPECT_EQ(read_first.Read(0, 0, 4), (BurstTiming{17, 20}));
  EXPECT_EQ(read_first.Write(0, 0, 4), (BurstTiming{21, 24}));
  DramTiming write_first(Usual(), 8);
  EXPECT_EQ(write_first.Write(0, 0, 4), (BurstTiming{1, 4}));
  EXPECT_EQ(write_first.Read(1, 0, 4), (BurstTiming{18, 21}));
}

// 4 bytes a cycle: a beat of 8 every second cycle, and no other beat between.
TEST(Dram, ASlowChannelSpreadsItsBeats) {
  isa::Memory memory = Usual();
  memory.bytes_per_cycle = 4;
  DramTiming dram(memory, 8);
  EXPECT_EQ(dram.interval(), 2);
  EXPECT_EQ(dram.Read(0, 0, 3), (BurstTiming{17, 21}));  // 17, 19, 21; the channel is taken to 22
  EXPECT_EQ(dram.Write(0, 0, 2), (BurstTiming{23, 25}));
  EXPECT_EQ(dram.Read(1, 0, 1), (BurstTiming{27, 27}));
}

// 5 bytes a cycle: 16 beats of 8 are 25.6 cycles of the channel, so that a write waits for 26.
TEST(Dram, AChannelOfAnyWidthIsTakenForWholeCycles) {
  isa::Memory memory = Usual();
  memory.bytes_per_cycle = 5;
  DramTiming dram(memory, 8);
  EXPECT_EQ(dram.interval(), 1);
  EXPECT_EQ(dram.Read(0, 0, 16), (BurstTiming{17, 32}));
  EXPECT_EQ(dram.Write(0, 0, 5), (BurstTiming{43, 47}));  // 40 bytes: 8 cycles
  EXPECT_EQ(dram.Read(1, 0, 1), (BurstTiming{51, 51}));
}

// 32 bytes a cycle on a bus of 8: each direction still moves one beat a cycle, but both at once.
TEST(Dram, AFastChannelServesBothDirectionsAtOnce) {
  isa::Memory memory = Usual();
  memory.bytes_per_cycle = 32;
  DramTiming dram(memory, 8);
  EXPECT_EQ(dram.interval(), 1);
  EXPECT_EQ(dram.Read(0, 0, 8), (BurstTiming{17, 24}));  // takes the channel for two cycles: 17, 18
  EXPECT_EQ(dram.Write(10, 0, 8), (BurstTiming{19, 26}));
  EXPECT_EQ(dram.Read(1, 0, 8), (BurstTiming{25, 32}));  // after the beats of the read before
}

// Four banks of rows of 1 KiB: row 0 lies in bank 0, row 1 in bank 1, row 4 in bank 0 again.
isa::Memory Rows() {
  isa::Memory memory = Usual();
  memory.banks = 4;
  memory.row_bytes = 1024;
  memory.row_miss_cycles = 10;
  return memory;
}

TEST(DramRows, AnOpenRowIsHitAnotherOneOfItsBankIsMissed) {
  DramTiming dram(Rows(), 8);
  EXPECT_EQ(dram.Read(0, 0, 4), (BurstTiming{27, 30}));         // 0 + 1 + 16 + 10: none was open
  EXPECT_EQ(dram.Read(100, 992, 4), (BurstTiming{117, 120}));   // to the end of the row
  EXPECT_EQ(dram.Read(200, 4096, 4), (BurstTiming{227, 230}));  // row 4
  EXPECT_EQ(dram.Read(300, 0, 4), (BurstTiming{327, 330}));     // row 0 was closed for it
}

TEST(DramRows, EachBankKeepsItsRow) {
  DramTiming dram(Rows(), 8);
  dram.Read(0, 0, 1);
  EXPECT_EQ(dram.Read(100, 1024, 1), (BurstTiming{127, 127}));
  EXPECT_EQ(dram.Read(200, 0, 1), (BurstTiming{217, 217}));
  EXPECT_EQ(dram.Read(300, 2047, 1), (BurstTiming{327, 327}));  // its last byte lies in row 2
  EXPECT_EQ(dram.Read(400, 1024, 1), (BurstTiming{417, 417}));
}

TEST(DramRows, AMissHidesBehindTheBeatsOfOtherBanks) {
  DramTiming dram(Rows(), 8);
  dram.Read(0, 0, 1);
  EXPECT_EQ(dram.Read(100, 0, 16), (BurstTiming{117, 132}));
  EXPECT_EQ(dram.Read(101, 1024, 4), (BurstTiming{133, 136}));  // open in 128, the channel in 133
  // Bank 0 moves beats up to 132: 133 + 10.
  EXPECT_EQ(dram.Read(102, 4096, 4), (BurstTiming{143, 146}));
}

TEST(DramRows, ABurstOpensEachRowThatItTouches) {
  DramTiming dram(Rows(), 8);
  EXPECT_EQ(dram.Read(0, 1008, 4), (BurstTiming{37, 40}));  // rows 0 and 1
  EXPECT_EQ(dram.Read(100, 1008, 4), (BurstTiming{117, 120}));
  EXPECT_EQ(dram.Read(200, 2032, 4), (BurstTiming{227, 230}));  // 1 is open, 2 is not
}

// A burst that is cut at 4 KiB: two bursts, two rows.
TEST(DramRows, ACutBurstMeetsTheNextRow) {
  isa::Memory memory = Rows();
  memory.row_bytes = 4096;
  DramTiming dram(memory, 8);
  EXPECT_EQ(dram.Read(0, 4064, 4), (BurstTiming{27, 30}));
  EXPECT_EQ(dram.Read(1, 4096, 4), (BurstTiming{31, 34}));  // open in 28, the channel in 31
  EXPECT_EQ(dram.Read(100, 4064, 4), (BurstTiming{117, 120}));
}

TEST(DramRows, ReadsAndWritesShareTheRows) {
  DramTiming dram(Rows(), 8);
  EXPECT_EQ(dram.Write(0, 0, 4), (BurstTiming{11, 14}));
  EXPECT_EQ(dram.Read(0, 32, 4), (BurstTiming{17, 20}));  // the row that the write opened
  EXPECT_EQ(dram.Write(100, 64, 8), (BurstTiming{101, 108}));
  EXPECT_EQ(dram.Read(100, 4096, 2), (BurstTiming{127, 128}));  // 100 + 17 + 10
  EXPECT_EQ(dram.Read(200, 4096, 16), (BurstTiming{217, 232}));
  EXPECT_EQ(dram.Write(201, 0, 2), (BurstTiming{243, 244}));  // once bank 0 is free, 233 + 10
}

// As if all lay at address 0.
TEST(DramRows, WithoutAMissRowsDoNotMatter) {
  isa::Memory memory = Rows();
  memory.row_miss_cycles = 0;
  memory.bytes_per_cycle = 64;  // reads and writes of one bank at once
  DramTiming rows(memory, 16), none(memory, 16);
  for (int64_t i = 0; i < 500; ++i) {
    const auto address = static_cast<uint64_t>(i * 7919 % 65536 * 16);
    EXPECT_EQ(rows.Read(3 * i, address, i % 7 + 1), none.Read(3 * i, 0, i % 7 + 1));
    EXPECT_EQ(rows.Write(3 * i, address, i % 5 + 1), none.Write(3 * i, 0, i % 5 + 1));
  }
}

TEST(Dram, IsAFunctionOfTheBursts) {
  DramTiming a(Usual(), 16), b(Usual(), 16);
  for (int64_t cycle = 0; cycle < 500; cycle += 3) {
    EXPECT_EQ(a.Read(cycle, 0, cycle % 7 + 1), b.Read(cycle, 0, cycle % 7 + 1));
    EXPECT_EQ(a.Write(cycle, 0, cycle % 5 + 1), b.Write(cycle, 0, cycle % 5 + 1));
  }
}

}  // namespace
}  // namespace vta::sim
