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
  EXPECT_EQ(dram.Read(100, 4), (BurstTiming{117, 120}));
  EXPECT_EQ(dram.Read(200, 1), (BurstTiming{217, 217}));
}

TEST(Dram, ReadsFollowEachOtherWithoutAGap) {
  DramTiming dram(Usual(), 8);
  EXPECT_EQ(dram.Read(0, 16), (BurstTiming{17, 32}));
  EXPECT_EQ(dram.Read(1, 16), (BurstTiming{33, 48}));  // ready in 18, the channel in 33
  EXPECT_EQ(dram.Read(40, 2), (BurstTiming{57, 58}));  // ready in 57, the channel long before
}

TEST(Dram, AWriteTakesBeatsAtOnceAndAnswersLater) {
  DramTiming dram(Usual(), 8);
  EXPECT_EQ(dram.Write(100, 4), (BurstTiming{101, 104}));
  EXPECT_EQ(dram.Response(104), 113);
}

// The order of the calls is the order of acceptance; in one cycle the read is first.
TEST(Dram, ReadsAndWritesShareTheChannelInTheOrderOfAcceptance) {
  DramTiming read_first(Usual(), 8);
  EXPECT_EQ(read_first.Read(0, 4), (BurstTiming{17, 20}));
  EXPECT_EQ(read_first.Write(0, 4), (BurstTiming{21, 24}));
  DramTiming write_first(Usual(), 8);
  EXPECT_EQ(write_first.Write(0, 4), (BurstTiming{1, 4}));
  EXPECT_EQ(write_first.Read(1, 4), (BurstTiming{18, 21}));
}

// 4 bytes a cycle: a beat of 8 every second cycle, and no other beat between.
TEST(Dram, ASlowChannelSpreadsItsBeats) {
  isa::Memory memory = Usual();
  memory.bytes_per_cycle = 4;
  DramTiming dram(memory, 8);
  EXPECT_EQ(dram.interval(), 2);
  EXPECT_EQ(dram.Read(0, 3), (BurstTiming{17, 21}));  // 17, 19, 21; the channel is taken to 22
  EXPECT_EQ(dram.Write(0, 2), (BurstTiming{23, 25}));
  EXPECT_EQ(dram.Read(1, 1), (BurstTiming{27, 27}));
}

// 32 bytes a cycle on a bus of 8: each direction still moves one beat a cycle, but both at once.
TEST(Dram, AFastChannelServesBothDirectionsAtOnce) {
  isa::Memory memory = Usual();
  memory.bytes_per_cycle = 32;
  DramTiming dram(memory, 8);
  EXPECT_EQ(dram.interval(), 1);
  EXPECT_EQ(dram.Read(0, 8), (BurstTiming{17, 24}));  // takes the channel for two cycles: 17, 18
  EXPECT_EQ(dram.Write(10, 8), (BurstTiming{19, 26}));
  EXPECT_EQ(dram.Read(1, 8), (BurstTiming{25, 32}));  // after the beats of the read before
}

TEST(Dram, IsAFunctionOfTheBursts) {
  DramTiming a(Usual(), 16), b(Usual(), 16);
  for (int64_t cycle = 0; cycle < 500; cycle += 3) {
    EXPECT_EQ(a.Read(cycle, cycle % 7 + 1), b.Read(cycle, cycle % 7 + 1));
    EXPECT_EQ(a.Write(cycle, cycle % 5 + 1), b.Write(cycle, cycle % 5 + 1));
  }
}

}  // namespace
}  // namespace vta::sim
