#include "tools/search/evolve.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "tools/explore/front.h"

namespace vta::tools {
namespace {

// Eight parameters of eight values: the sum of all against that of their complements to 7, both
// worse by the distances between neighbours. The front is where all are equal: 8 points of 16.7
// million.
constexpr int64_t kParameters = 8, kValues = 8;
std::vector<double> Costs(const Genes& point) {
  double sum = 0, uneven = 0;
  for (size_t i = 0; i < point.size(); ++i) {
    sum += point[i];
    if (i > 0) uneven += std::abs(point[i] - point[i - 1]);
  }
  return {sum + 4 * uneven, 7 * kParameters - sum + 4 * uneven};
}

std::vector<Genes> Any(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Genes> points(count, Genes(kParameters));
  for (Genes& point : points)
    for (int32_t& value : point) value = static_cast<int32_t>(random() % kValues);
  return points;
}

/// The volume of the front of `most` points, and how many points were asked for.
double VolumeOf(uint64_t seed, size_t most) {
  std::vector<std::vector<double>> rows;
  std::set<Genes> seen;
  const auto values = [&](const std::vector<Genes>& points) {
    std::vector<std::vector<double>> out;
    for (const Genes& point : points) {
      EXPECT_EQ(point.size(), static_cast<size_t>(kParameters));
      for (const int32_t value : point) EXPECT_TRUE(value >= 0 && value < kValues) << value;
      out.push_back(Costs(point));
      if (seen.insert(point).second) rows.push_back(out.back());
    }
    return out;
  };
  Evolve({std::vector<int64_t>(kParameters, kValues), 2, seed}, Any(40, seed), values,
         [&] { return seen.size() < most; });
  EXPECT_LT(seen.size(), most + 40);
  return Hypervolume(rows, {300, 300});
}

TEST(Evolve, BeatsChanceAtTheSameCost) {
  constexpr size_t kMost = 800;
  for (const uint64_t seed : {1, 2, 3}) {
    std::vector<std::vector<double>> rows;
    for (const Genes& point : Any(kMost + 40, seed)) rows.push_back(Costs(point));
    EXPECT_GT(VolumeOf(seed, kMost), 1.05 * Hypervolume(rows, {300, 300})) << seed;
  }
}

// The least of a sum, beside a parameter that has one value.
TEST(Evolve, TakesOneObjectiveAndParametersOfOneValue) {
  std::set<Genes> seen;
  int32_t least = INT32_MAX;
  const auto values = [&](const std::vector<Genes>& points) {
    std::vector<std::vector<double>> out;
    for (const Genes& point : points) {
      EXPECT_EQ(point[1], 0);
      seen.insert(point);
      least = std::min(least, point[0] + point[2] + point[3]);
      out.push_back({static_cast<double>(point[0] + point[2] + point[3])});
    }
    return out;
  };
  std::vector<Genes> first;
  for (int32_t i = 0; i < 8; ++i) first.push_back({20 + i, 0, 30 - i, 25});
  int generations = 0;
  Evolve({{40, 1, 40, 40}, 1, 1}, first, values, [&] { return ++generations < 200; });
  EXPECT_LE(least, 6);  // of 75 to 117
  seen.clear();
  Evolve({{1, 1, 1, 1}, 1, 1}, std::vector<Genes>(8, Genes(4)), values, [] { return true; });
  EXPECT_EQ(seen.size(), 1u);
}

TEST(Evolve, IsItsSeeds) { EXPECT_EQ(VolumeOf(4, 200), VolumeOf(4, 200)); }

}  // namespace
}  // namespace vta::tools
