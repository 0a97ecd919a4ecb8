#include "compiler/quantize/code_sum.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/quantize/multiplier.h"

namespace vta::compiler {
namespace {

constexpr int64_t kLow = -128, kHigh = 127;
constexpr int kLeftShift = 20;

std::array<int32_t, 256> Rescaled(const CodeScale& operand, double unit) {
  const FixedPoint factor = ToFixedPoint(operand.scale / unit);
  std::array<int32_t, 256> values;
  for (int64_t code = kLow; code <= kHigh; ++code)
    values[code - kLow] = static_cast<int32_t>(isa::FixedPointMultiply(
        static_cast<int32_t>((code - operand.zero_point) * (1 << kLeftShift)), factor.multiplier,
        factor.exponent, isa::Rounding::kDouble));
  return values;
}

isa::RequantLane LaneOf(double real, const CodeScale& result) {
  const FixedPoint factor = ToFixedPoint(real);
  return {.multiplier = factor.multiplier,
          .exponent = static_cast<int8_t>(factor.exponent),
          .zero_point = static_cast<int8_t>(result.zero_point)};
}

double TwiceTheLarger(const CodeScale& a, const CodeScale& b) {
  return 2 * std::max(a.scale, b.scale);
}

/// Integers in the ratio of the scales, nearly: `larger` belongs to the larger scale.
struct Ratio {
  int64_t larger, smaller;
};

/// The nearest first, of equals the smallest.
std::vector<Ratio> NearRatios(double larger, double smaller) {
  constexpr int64_t kMost = 127 * 128 + 63;  // what two signed digits of 7 bits hold
  constexpr size_t kCount = 20;
  constexpr double kNoise = 1e-9;  // larger integers must be worth it
  struct Candidate {
    Ratio ratio;
    double error;
  };
  std::vector<Candidate> all;
  for (int64_t n = 1; n <= kMost; ++n) {
    const double wanted = static_cast<double>(n) * smaller / larger;
    const double error = std::abs(std::round(wanted) - wanted) / static_cast<double>(n);
    all.push_back({{n, std::llround(wanted)}, std::round(error / kNoise)});
  }
  const auto nearer = [](const Candidate& x, const Candidate& y) {
    return std::pair(x.error, x.ratio.larger) < std::pair(y.error, y.ratio.larger);
  };
  std::partial_sort(all.begin(), all.begin() + kCount, all.end(), nearer);
  std::vector<Ratio> ratios;
  for (size_t i = 0; i < kCount; ++i) ratios.push_back(all[i].ratio);
  return ratios;
}

struct Pair {
  int32_t a, b, code;  // and what they must give
};

bool Gives(const MultipleSum& sum, const std::vector<Pair>& pairs) {
  return std::all_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
    const auto total = static_cast<int32_t>(sum.a * pair.a + sum.b * pair.b);
    return isa::Requant(total, sum.lane, isa::Rounding::kDouble) == pair.code;
  });
}

/// The least first: 0, 1, -1, 2, -2, ...
int64_t Alternating(int64_t i) { return i % 2 ? (i + 1) / 2 : -i / 2; }

}  // namespace

CodeSum::CodeSum(const CodeScale& of_a, const CodeScale& of_b, const CodeScale& result)
    : a(Rescaled(of_a, TwiceTheLarger(of_a, of_b))),
      b(Rescaled(of_b, TwiceTheLarger(of_a, of_b))),
      lane(LaneOf(TwiceTheLarger(of_a, of_b) / ((1 << kLeftShift) * result.scale), result)) {}

std::optional<MultipleSum> AsMultiples(const CodeSum& sum, const CodeScale& a, const CodeScale& b,
                                       const CodeScale& result) {
  constexpr double kNear = 1e-3;  // of a border between two codes: such pairs decide
  std::vector<Pair> all, near;
  for (int64_t x = kLow; x <= kHigh; ++x)
    for (int64_t y = kLow; y <= kHigh; ++y) {
      const double real = (static_cast<double>(x - a.zero_point) * a.scale +
                           static_cast<double>(y - b.zero_point) * b.scale) /
                          result.scale;
      all.push_back({static_cast<int32_t>(x), static_cast<int32_t>(y), sum(x, y)});
      if (std::abs(real - std::floor(real) - 0.5) < kNear) near.push_back(all.back());
    }
  const bool swapped = a.scale < b.scale;
  const CodeScale &larger = swapped ? b : a, &smaller = swapped ? a : b;
  for (const Ratio& ratio : NearRatios(larger.scale, smaller.scale)) {
    int most_shift = 0;  // by which all sums fit 32 bits
    while ((ratio.larger + ratio.smaller) << (most_shift + 1 + 8) < int64_t{1} << 31) ++most_shift;
    for (const int shift : {0, most_shift}) {
      MultipleSum found{(swapped ? ratio.smaller : ratio.larger) << shift,
                        (swapped ? ratio.larger : ratio.smaller) << shift,
                        {}};
      const double unit = std::ldexp(larger.scale / static_cast<double>(ratio.larger), -shift);
      found.lane = LaneOf(unit / result.scale, result);
      const auto bias = -(found.a * a.zero_point + found.b * b.zero_point);
      // A little more or less of both decides pairs that lie next to a border.
      const int64_t multiplier = found.lane.multiplier, step = (int64_t{1} << shift) / 4 + 1;
      constexpr int64_t kMultipliers = 17, kMultiplierStep = 16, kBiases = 33;
      for (int64_t m = 0; m < (shift ? kMultipliers : 1); ++m)
        for (int64_t d = 0; d < (shift ? kBiases : 1); ++d) {
          found.lane.multiplier = static_cast<int32_t>(std::clamp<int64_t>(
              multiplier + Alternating(m) * kMultiplierStep, 1 << 30, (int64_t{1} << 31) - 1));
          found.lane.bias = static_cast<int32_t>(bias + Alternating(d) * step);
          if (Gives(found, near) && Gives(found, all)) return found;
        }
    }
  }
  return std::nullopt;
}

}  // namespace vta::compiler
