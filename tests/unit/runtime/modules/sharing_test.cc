// Which kernels threads share, by times that the test tells.
#include "runtime/modules/sharing.h"

#include <gtest/gtest.h>

#include <utility>

namespace vta::runtime {
namespace {

using std::chrono::nanoseconds;

/// So many runs that take what the way takes: how many were shared.
int RunsShared(Sharing& sharing, int runs, int64_t alone_ns, int64_t shared_ns) {
  int count = 0;
  for (int i = 0; i < runs; ++i) {
    const bool shares = sharing.Shares();
    count += shares;
    sharing.Took(nanoseconds(shares ? shared_ns : alone_ns));
  }
  return count;
}

/// The other way costs 80 % more, in one run of 160: half a percent, and at first more often.
TEST(Sharing, TheQuickerWayIsTakenButForAFewTries) {
  Sharing slow_to_share, quick_to_share;
  EXPECT_LE(RunsShared(slow_to_share, 10'000, 5'000, 9'000), 10'000 / 160 + 10);
  EXPECT_GE(RunsShared(quick_to_share, 10'000, 9'000, 5'000), 10'000 - 10'000 / 160 - 10);
}

/// A thread that sleeps when it is called first.
TEST(Sharing, TheFirstRunOfATryDoesNotCount) {
  Sharing sharing;
  int shared = 0;
  bool shares = true;
  for (int i = 0; i < 10'000; ++i) {
    const bool before = std::exchange(shares, sharing.Shares());
    shared += shares;
    sharing.Took(nanoseconds(!shares ? 9'000 : before ? 5'000 : 60'000));
  }
  EXPECT_GE(shared, 9'800);
}

TEST(Sharing, WhatChangesIsFound) {
  Sharing sharing;
  EXPECT_GE(RunsShared(sharing, 5'000, 9'000, 5'000), 4'960);
  EXPECT_LE(RunsShared(sharing, 5'000, 9'000, 30'000), 300);  // its processors moved apart
  EXPECT_GE(RunsShared(sharing, 5'000, 9'000, 5'000), 3'000);
}

/// Another process on one of the processors, for as long as it takes to be sure.
TEST(Sharing, WhatWasLongForAWhileIsSharedAgain) {
  for (const int64_t busy_ns : {300'000, 1'000'000}) {
    Sharing sharing;
    RunsShared(sharing, 1'000, 150'000, 100'000);
    EXPECT_LE(RunsShared(sharing, 1'000, 150'000, busy_ns), 300) << busy_ns;
    RunsShared(sharing, 2'000, 150'000, 100'000);
    EXPECT_GE(RunsShared(sharing, 1'000, 150'000, 100'000), 950) << busy_ns;
  }
}

TEST(Sharing, LongKernelsAreAlwaysShared) {
  Sharing sharing;
  EXPECT_EQ(RunsShared(sharing, 1'000, 1'000'000, 600'000), 1'000);
}

TEST(Sharing, OneRunThatWasHeldUpSaysLittle) {
  Sharing sharing;
  RunsShared(sharing, 100, 9'000, 5'000);
  ASSERT_TRUE(sharing.Shares());
  sharing.Took(nanoseconds(500'000'000));
  EXPECT_TRUE(sharing.Shares());
}

}  // namespace
}  // namespace vta::runtime
