// Whose burst the memory takes, and what the second master asks for.
#include "sim/memory/arbiter.h"

#include <gtest/gtest.h>

#include "sim/memory/traffic.h"

namespace vta::sim {
namespace {

using Taken = std::pair<int, int>;

Taken Take(Arbiter& arbiter, uint32_t reads, uint32_t writes, int64_t free) {
  const Arbiter::Taken taken = arbiter.Take(reads, writes, free);
  return {taken.read, taken.write};
}

TEST(Arbiter, MastersTakeTurns) {
  Arbiter arbiter;
  EXPECT_EQ(Take(arbiter, 0b0011, 0, 9), Taken(0, -1));
  EXPECT_EQ(Take(arbiter, 0b0011, 0, 9), Taken(1, -1));
  EXPECT_EQ(Take(arbiter, 0b0011, 0, 9), Taken(0, -1));
  // Who has had its turn goes again where nobody else asks.
  EXPECT_EQ(Take(arbiter, 0b0001, 0, 9), Taken(0, -1));
  EXPECT_EQ(Take(arbiter, 0b1011, 0, 9), Taken(1, -1));
  EXPECT_EQ(Take(arbiter, 0b1011, 0, 9), Taken(3, -1));
  EXPECT_EQ(Take(arbiter, 0b1011, 0, 9), Taken(0, -1));
}

TEST(Arbiter, ReadsAndWritesHaveTurnsOfTheirOwn) {
  Arbiter arbiter;
  EXPECT_EQ(Take(arbiter, 0b01, 0b10, 9), Taken(0, 1));
  EXPECT_EQ(Take(arbiter, 0b11, 0b11, 9), Taken(1, 0));
  EXPECT_EQ(Take(arbiter, 0, 0, 9), Taken(-1, -1));
  EXPECT_EQ(Take(arbiter, 0b11, 0b11, 9), Taken(0, 1));
}

TEST(Arbiter, TheLastPlaceOfAMasterGoesToItsRead) {
  Arbiter arbiter;
  EXPECT_EQ(Take(arbiter, 0b01, 0b01, 0), Taken(-1, -1));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Take(arbiter, 0b01, 0b01, 1), Taken(0, -1));
  EXPECT_EQ(Take(arbiter, 0, 0b01, 1), Taken(-1, 0));
  EXPECT_EQ(Take(arbiter, 0b01, 0b01, 2), Taken(0, 0));
}

// Neither waits for ever.
TEST(Arbiter, TwoMastersTakeTurnsAtTheLastPlace) {
  Arbiter arbiter;
  EXPECT_EQ(Take(arbiter, 0b10, 0b01, 1), Taken(1, -1));
  EXPECT_EQ(Take(arbiter, 0b10, 0b01, 1), Taken(-1, 0));
  EXPECT_EQ(Take(arbiter, 0b10, 0b01, 1), Taken(1, -1));
  EXPECT_EQ(Take(arbiter, 0b01, 0b01, 1), Taken(0, -1));
  EXPECT_EQ(Take(arbiter, 0b10, 0b01, 1), Taken(-1, 0));
}

TEST(Traffic, AsksForWholeBeatsInsideAPageOneAfterTheOther) {
  constexpr uint64_t kBytes = 3 * 4096;
  int64_t reads = 0, writes = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Traffic traffic(seed, kBytes, 16), again(seed, kBytes, 16);
    for (int64_t i = 0, cycle = 0; i < 100; ++i) {
      const Traffic::Burst burst = traffic.next();
      (burst.write ? writes : reads) += 1;
      EXPECT_GE(burst.cycle, cycle);
      EXPECT_GE(burst.beats, 1);
      EXPECT_EQ(burst.address % 16, 0u);
      const uint64_t last = burst.address + static_cast<uint64_t>(16 * burst.beats) - 1;
      EXPECT_LT(last, kBytes);
      EXPECT_EQ(burst.address / 4096, last / 4096);
      EXPECT_EQ(again.next().address, burst.address);
      EXPECT_EQ(again.next().cycle, burst.cycle);
      cycle = burst.cycle + i % 7 + 1;
      traffic.Taken(cycle - 1), again.Taken(cycle - 1);
    }
  }
  EXPECT_GT(reads, 100);
  EXPECT_GT(writes, 100);
}

}  // namespace
}  // namespace vta::sim
