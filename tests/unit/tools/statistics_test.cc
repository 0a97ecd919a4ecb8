#include "tools/shared/statistics.h"

#include <gtest/gtest.h>

namespace vta::tools {
namespace {

TEST(StatisticsTest, MinMedianAndTheTimeOfNineInTen) {
  const RunTimes odd = Summarize({30, 10, 20});
  EXPECT_EQ(odd.runs, 3);
  EXPECT_EQ(odd.min, 10);
  EXPECT_EQ(odd.median, 20);
  EXPECT_EQ(odd.p90, 30);
  const RunTimes even = Summarize({4, 1, 3, 2});
  EXPECT_EQ(even.median, 2.5);
  EXPECT_EQ(even.p90, 4);
  const RunTimes one = Summarize({7});
  EXPECT_EQ(one.min + one.median + one.p90, 21);
}

TEST(StatisticsTest, TheNinetiethOfAHundredIsNotTheNinetyFirst) {
  std::vector<int64_t> times;
  for (int64_t i = 100; i > 0; --i) times.push_back(i);
  EXPECT_EQ(Summarize(times).p90, 90);
  EXPECT_EQ(Summarize(times).median, 50.5);
  times.push_back(101);
  EXPECT_EQ(Summarize(times).p90, 91);
}

TEST(StatisticsTest, TheFasterSideHasARatioAboveOne) {
  EXPECT_EQ(Speedup(Summarize({10}), Summarize({25})), 2.5);
  EXPECT_EQ(Speedup(Summarize({25}), Summarize({10})), 0.4);
}

TEST(StatisticsDeathTest, NoRunsHaveNoMedian) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(Summarize({}), "empty");
}

}  // namespace
}  // namespace vta::tools
