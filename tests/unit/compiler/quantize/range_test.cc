// Histograms and the ranges chosen from them, against the values themselves.
#include "compiler/quantize/range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "tests/support/error_of.h"

namespace vta::compiler::quantize {
namespace {

Histogram Of(const std::vector<float>& values) {
  Histogram histogram;
  histogram.Add(values);
  return histogram;
}

std::vector<float> Laplace(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::exponential_distribution<float> magnitude(1);
  std::vector<float> values(count);
  for (float& value : values) value = random() % 2 ? magnitude(random) : -magnitude(random);
  return values;
}

TEST(Histogram, CountsEveryValueInItsBinWhateverTheOrder) {
  std::vector<float> values = Laplace(5000, 3);
  values.push_back(0);
  values.push_back(300);  // which widens the bins five times
  std::ranges::reverse(values);
  Histogram widened;
  for (size_t i = values.size(); i-- > 0;) widened.Add({&values[i], 1});  // 300 comes last
  const Histogram at_once = Of(values);
  for (const Histogram* histogram : std::initializer_list<const Histogram*>{&widened, &at_once}) {
    EXPECT_EQ(histogram->count(), 5002);
    EXPECT_EQ(histogram->zeros(), 1);
    EXPECT_EQ(histogram->max(), 300);
    EXPECT_EQ(histogram->min(), *std::ranges::min_element(values));
    std::map<double, int64_t> wanted, have;
    const double width = histogram->bin_width();
    for (const float value : values)
      if (value != 0) ++wanted[(std::floor(value / width) + 0.5) * width];
    histogram->ForEach([&](double value, int64_t count) { have[value] = count; });
    EXPECT_EQ(have, wanted);
  }
}

TEST(ScaleOfRange, OfKnownRanges) {
  const auto expect = [](const Range& range, double scale, int64_t zero_point) {
    const CodeScale have = ScaleOfRange(range);
    EXPECT_FLOAT_EQ(have.scale, scale);
    EXPECT_EQ(have.zero_point, zero_point);
  };
  expect({0, 2.55}, 0.01, -128);
  expect({-2.55, 0}, 0.01, 127);
  expect({-1, 1.55}, 0.01, -28);
  expect({-1.003, 1.547}, 0.01, -28);  // -28.3, to the nearest code
  expect({0, 0}, 1, 0);
  EXPECT_EQ(ErrorOf([] {
              ScaleOfRange({0, 1e-40});
            }),
            "scale = 3.92156863e-43: must be a normal float32");
}

TEST(ScaleOfRange, CoversTheRangeButForHalfACode) {
  for (const Range& range : {Range{-0.37, 5.1}, Range{-9, 0.001}, Range{0, 7}}) {
    const CodeScale scale = ScaleOfRange(range);
    const Range covered = RangeOfScale(scale);
    EXPECT_NEAR(covered.low, range.low, scale.scale / 2 * 1.001);
    EXPECT_NEAR(covered.high, range.high, scale.scale / 2 * 1.001);
  }
}

TEST(ChooseRange, MinMaxHoldsZero) {
  EXPECT_EQ(ChooseRange(Of({2, 3, 5}), Method::kMinMax), (Range{0, 5}));
  EXPECT_EQ(ChooseRange(Of({-2, -3}), Method::kMinMax), (Range{-3, 0}));
  EXPECT_EQ(ChooseRange(Of({-2, 3}), Method::kMinMax), (Range{-2, 3}));
}

TEST(ChooseRange, PercentileLeavesThatManyOut) {
  std::vector<float> values;
  for (int i = 1; i <= 10000; ++i) values.push_back(static_cast<float>(i % 2 ? i : -i));
  const Histogram histogram = Of(values);
  const Range range = ChooseRange(histogram, Method::kPercentile, 99);
  // 100 values lie above 9801, and 100 below -9802; ends of bins are two apart.
  EXPECT_NEAR(range.high, 9801, 2 * histogram.bin_width());
  EXPECT_NEAR(range.low, -9802, 2 * histogram.bin_width());
}

double TrueError(const std::vector<float>& values, double low, double high) {
  const double scale = (high - low) / 255, zero = std::nearbyint(-128 - low / scale);
  double sum = 0;
  for (const float value : values) {
    const double code = std::clamp(std::nearbyint(value / scale) + zero, -128.0, 127.0);
    sum += std::pow((code - zero) * scale - value, 2);
  }
  return sum / static_cast<double>(values.size());
}

TEST(ChooseRange, LeastSquaresIsNearTheBestOfAllRanges) {
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    std::vector<float> values = Laplace(2000, seed);
    if (seed == 3)
      for (float& value : values) value = std::max(value, 0.0f);
    values.push_back(40);
    double best = std::numeric_limits<double>::infinity();
    const auto [least, greatest] = std::ranges::minmax(values);
    for (int a = 1; a <= 60; ++a)
      for (int b = 0; b <= (least < 0 ? 60 : 0); ++b)
        best = std::min(best, TrueError(values, double{least} * b / 60, double{greatest} * a / 60));
    const Range range = ChooseRange(Of(values), Method::kMse);
    EXPECT_LE(TrueError(values, range.low, range.high), best * 1.02) << seed;
    EXPECT_NEAR(MeanSquareError(Of(values), range), TrueError(values, range.low, range.high),
                0.02 * best);
  }
}

/// Kullback-Leibler, from the definition, over dense arrays.
double Divergence(const std::vector<std::pair<double, int64_t>>& bins, double width, double low,
                  double high) {
  std::vector<std::vector<size_t>> levels(256);
  std::vector<double> p(bins.size()), q(bins.size());
  size_t first = bins.size(), last = 0;
  for (size_t i = 0; i < bins.size(); ++i) {
    if (bins[i].first + width / 2 < low || bins[i].first - width / 2 > high) continue;
    first = std::min(first, i);
    last = i;
    const double level = std::max((bins[i].first - low) / ((high - low) / 255), 0.0);
    levels[std::min<size_t>(static_cast<size_t>(level), 255)].push_back(i);
    p[i] = static_cast<double>(bins[i].second);
  }
  double inside = 0, all = 0;
  for (const double count : p) inside += count;
  for (const auto& level : levels)
    for (const size_t i : level) {
      double mass = 0;
      for (const size_t j : level) mass += static_cast<double>(bins[j].second);
      q[i] = mass / static_cast<double>(level.size()) / inside;
    }
  for (size_t i = 0; i < bins.size(); ++i) {
    if (i < first) p[first] += static_cast<double>(bins[i].second);
    if (i > last) p[last] += static_cast<double>(bins[i].second);
    all += static_cast<double>(bins[i].second);
  }
  double sum = 0;
  for (size_t i = first; i <= last; ++i) sum += p[i] / all * std::log(p[i] / all / q[i]);
  return sum;
}

TEST(ChooseRange, EntropyIsTheLeastDivergence) {
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    std::vector<float> values = Laplace(60000, seed);
    if (seed == 3)
      for (float& value : values) value = std::abs(value);
    values.push_back(60);
    const Histogram histogram = Of(values);
    std::vector<std::pair<double, int64_t>> bins;
    histogram.ForEach([&](double value, int64_t count) { bins.emplace_back(value, count); });
    const Range range = ChooseRange(histogram, Method::kEntropy);
    const double have = Divergence(bins, histogram.bin_width(), range.low, range.high);
    for (int step = 16; step <= 128; ++step)
      EXPECT_LE(have, Divergence(bins, histogram.bin_width(), histogram.min() * step / 128,
                                 histogram.max() * step / 128) +
                          1e-9);
    EXPECT_LT(range.high, 50);
  }
}

TEST(ChooseRange, OfNothingButZerosIsEmpty) {
  for (const MethodInfo& row : std::span(kMethods).subspan(1))  // auto is one of the others
    EXPECT_EQ(ChooseRange(Of({0, 0, 0}), row.method), (Range{0, 0})) << row.name;
}

}  // namespace
}  // namespace vta::compiler::quantize
