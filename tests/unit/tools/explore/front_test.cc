#include "tools/explore/front.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/support/trials.h"

namespace vta::tools {
namespace {

using ::testing::ElementsAre;

using Rows = std::vector<std::vector<double>>;

TEST(Front, KeepsWhatNothingBeats) {
  EXPECT_THAT(ParetoFront({{1, 5}, {2, 2}, {3, 3}, {5, 1}, {2, 4}}), ElementsAre(0, 1, 3));
  EXPECT_THAT(ParetoFront({{1, 1}, {1, 1}}), ElementsAre(0));
  EXPECT_THAT(ParetoFront({{1, 2}, {1, 1}}), ElementsAre(1));
  EXPECT_THAT(ParetoFront({}), ElementsAre());
}

// Against its definition, over all pairs.
TEST(Front, IsItsDefinition) {
  std::mt19937 random(5);
  for (int trial = 0; trial < Trials(50); ++trial) {
    Rows rows(1 + random() % 40, std::vector<double>(1 + random() % 4));
    for (auto& row : rows)
      for (double& value : row) value = static_cast<double>(random() % 6);
    std::vector<size_t> wanted;
    for (size_t i = 0; i < rows.size(); ++i) {
      bool beaten = false;
      for (size_t j = 0; j < rows.size(); ++j)
        beaten |= IsAsGood(rows[j], rows[i]) && (rows[j] != rows[i] || j < i);
      if (!beaten) wanted.push_back(i);
    }
    EXPECT_EQ(ParetoFront(rows), wanted);
  }
}

TEST(Hypervolume, IsTheAreaOfSteps) {
  // (1,3) to the corner (4,4): 3 x 1; (2,1): 2 x 3, of which 2 x 1 are there.
  EXPECT_DOUBLE_EQ(Hypervolume({{1, 3}, {2, 1}}, {4, 4}), 7);
  EXPECT_DOUBLE_EQ(Hypervolume({{1, 3}, {2, 1}, {3, 3}, {5, 0}}, {4, 4}), 7);
  EXPECT_DOUBLE_EQ(Hypervolume({{1, 1, 1}}, {2, 3, 4}), 6);
  EXPECT_DOUBLE_EQ(Hypervolume({{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}, {2, 2, 2}), 7);
  EXPECT_DOUBLE_EQ(Hypervolume({}, {2, 2}), 0);
}

TEST(Effects, OfASumHaveNoInteraction) {
  // f = 10 a + b over a full grid of 2 x 3: means of squares by hand.
  std::vector<std::vector<int32_t>> points;
  std::vector<double> values;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b) {
      points.push_back({a, b});
      values.push_back(10.0 * a + b);
    }
  const auto effects = Effects(points, {2, 3}, values);
  ASSERT_EQ(effects.size(), 3U);
  EXPECT_THAT(effects[0].parameters, ElementsAre(0));
  EXPECT_NEAR(effects[0].share, 150.0 / 154, 1e-12);  // 6 * 25 of 6 * 25 + 2 * 2
  EXPECT_NEAR(effects[1].share, 4.0 / 154, 1e-12);
  EXPECT_NEAR(effects[2].share, 0, 1e-12);
  EXPECT_THAT(effects[0].means, ElementsAre(1, 11));
  EXPECT_THAT(effects[1].means, ElementsAre(5, 6, 7));
}

TEST(Effects, OfAProductIsInTheInteraction) {
  // f = a xor b: neither alone says anything.
  const auto effects = Effects({{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {2, 2}, {0, 1, 1, 0});
  EXPECT_THAT(effects[0].parameters, ElementsAre(0, 1));
  EXPECT_DOUBLE_EQ(effects[0].share, 1);
}

TEST(Effects, OfNothingAreNone) {
  EXPECT_TRUE(Effects({}, {2}, {}).empty());
  EXPECT_TRUE(Effects({{0}, {1}}, {2}, {3, 3}).empty());
}

}  // namespace
}  // namespace vta::tools
