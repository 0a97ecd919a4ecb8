#include "tools/area/least_squares.h"

#include <gtest/gtest.h>

namespace vta::tools {
namespace {

TEST(LeastSquares, FindsWhatValuesAreMadeOf) {
  const std::vector<double> factors = {8000, 500, 0.25};
  std::vector<Sample> samples;
  for (const double lanes : {4, 16, 64})
    for (const double products : {16, 256, 4096}) {
      const double value = factors[0] + factors[1] * lanes + factors[2] * products;
      samples.push_back({{1, lanes, products, 0}, value, value});
    }
  const std::vector<double> found = LeastSquares(samples);
  for (size_t i = 0; i < factors.size(); ++i) EXPECT_NEAR(found[i], factors[i], 1e-2 * factors[i]);
  EXPECT_EQ(found[3], 0);
}

// By hand: distances of 100 - c and 200 - c in units of 100 and 200: the sum of (c/100 - 1)^2 and
// (c/200 - 1)^2 is least at c = 120; in units alike it is at their middle.
TEST(LeastSquares, MeasuresDistancesInUnits) {
  EXPECT_NEAR(LeastSquares({{{1}, 100, 100}, {{1}, 200, 200}})[0], 120, 1e-3);
  EXPECT_NEAR(LeastSquares({{{1}, 100}, {{1}, 200}})[0], 150, 1e-3);
}

TEST(LeastSquares, SharesWhatSamplesDoNotTellApart) {
  const std::vector<double> found = LeastSquares({{{1, 1}, 10}, {{2, 2}, 20}});
  EXPECT_NEAR(found[0], 5, 1e-3);
  EXPECT_NEAR(found[1], 5, 1e-3);
}

}  // namespace
}  // namespace vta::tools
