// Splitting sums at their first products: random spaces put together again.
#include "compiler/targets/vta/lower/sum_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace vta::compiler::targets {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::tuple<int64_t, int64_t, int64_t>> PointsOf(const std::vector<NestSpace>& spaces) {
  std::vector<std::tuple<int64_t, int64_t, int64_t>> points;
  for (const NestSpace& space : spaces)
    for (const isa::Uop& uop : Unrolled(space, space.loops))
      points.emplace_back(uop.dst, uop.src, uop.wgt);
  std::sort(points.begin(), points.end());
  return points;
}

TEST(SplitSum, RandomSumsKeepTheirProducts) {
  std::mt19937 random(3);
  int split = 0, boxes = 0, kernels = 0;
  for (int round = 0; round < 2000; ++round) {
    isa::Config config;
    config.arch.uop_depth = round % 2 ? 16 : 8192;
    NestSpace space;
    space.first = {int64_t(random() % 9), int64_t(random() % 9), int64_t(random() % 9)};
    for (int loops = random() % 6; loops > 0; --loops)
      space.loops.push_back({1 + int64_t(random() % 4),
                             random() % 2 ? 0 : int64_t{1} << 2 * (random() % 4),
                             int64_t(random() % 50), int64_t(random() % 40)});
    const int64_t apart = random() % 2 ? 300 : 0;  // or several products of a row
    for (int uops = random() % 3 ? 0 : random() % 3; uops > 0; --uops)
      space.kernel.push_back({apart * uops, int64_t(random() % 20), int64_t(random() % 20)});
    const std::vector<int64_t> rows = DstRows(space);
    const auto steps = SplitSum(config, space);
    if (!steps) {
      // Some row has more products than the loops that sum have points.
      int64_t sums = 1;
      for (const NestLoop& loop : space.loops) sums *= loop.dst ? 1 : loop.extent;
      ASSERT_GT(std::ssize(PointsOf({space})), std::ssize(rows) * sums);
      continue;
    }
    ++split;
    kernels += DstRows({space.first, {}, space.kernel}).size() < space.kernel.size();
    std::vector<int64_t> first;
    for (const auto& [dst, src, wgt] : PointsOf({steps->first})) first.push_back(dst);
    ASSERT_EQ(first, rows) << "each row once";
    std::vector<NestSpace> all = steps->others;
    all.push_back(steps->first);
    ASSERT_EQ(PointsOf(all), PointsOf({space}));
    boxes += steps->others.size() > 1;
  }
  EXPECT_GT(split, 1000);
  EXPECT_GT(boxes, 100);
  EXPECT_GT(kernels, 20);
}

TEST(SplitSum, TakesOneGemmWhereItsMicroOpsHaveRoom) {
  isa::Config config;
  const NestLoop height{7, 14, 58, 0}, width{14, 1, 2, 0}, window{3, 0, 29, 3}, input{4, 0, 580, 9};
  EXPECT_THAT(SplitSum(config, {{}, {height, width}})->others, IsEmpty());
  // One loop that sums stays a loop.
  EXPECT_THAT(SplitSum(config, {{}, {height, width, input}})->others[0].loops[2].extent, 3);
  const auto steps = SplitSum(config, {{}, {height, window, width, input}});
  ASSERT_THAT(steps->others, SizeIs(1));
  EXPECT_THAT(steps->others[0].kernel, SizeIs(3 * 4 - 1));
  config.arch.uop_depth = 32;  // a share of 8
  EXPECT_THAT(SplitSum(config, {{}, {height, window, width, input}})->others, SizeIs(2));
}

TEST(WaitingResets, AreDroppedByTheirRowsAndTakenByAnyOfThem) {
  WaitingResets resets;
  const NestSpace low{{0, 0, 0}, {{4, 1, 0, 0}}}, high{{4, 0, 0}, {{4, 1, 0, 0}}};
  resets.Add(low), resets.Add(high);
  EXPECT_FALSE(resets.Drop({0, 1, 2}));
  EXPECT_TRUE(resets.Drop({0, 1, 2, 3}));
  EXPECT_FALSE(resets.Drop({0, 1, 2, 3}));
  EXPECT_THAT(resets.Take({0, 1, 2, 3, 8}), IsEmpty());
  const std::vector<NestSpace> taken = resets.Take({3, 7});
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_THAT(DstRows(taken[0]), ElementsAre(4, 5, 6, 7));
  EXPECT_TRUE(resets.empty());
  resets.Add(low);
  EXPECT_THAT(resets.TakeAll(), SizeIs(1));
  EXPECT_TRUE(resets.empty());
}

// The earlier one runs first: what waited for a row twice would clear the sum that starts there.
TEST(WaitingResets, NoneWaitsTwiceForARow) {
  WaitingResets resets;
  const NestSpace all{{0, 0, 0}, {{8, 1, 0, 0}}}, low{{0, 0, 0}, {{4, 1, 0, 0}}};
  EXPECT_THAT(resets.Add(all), IsEmpty());
  const std::vector<NestSpace> met = resets.Add(low);
  ASSERT_THAT(met, SizeIs(1));
  EXPECT_THAT(DstRows(met[0]), SizeIs(8));
  EXPECT_TRUE(resets.Drop({0, 1, 2, 3}));
  EXPECT_TRUE(resets.empty());
}

}  // namespace
}  // namespace vta::compiler::targets
