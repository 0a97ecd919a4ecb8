#include "compiler/targets/vta/kernels/narrow_scale.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

namespace vta::compiler::targets {
namespace {

struct Point {
  int64_t sum;
  int32_t code;
};

/// Both sides of every change of code in [low, high], and its ends: codes only grow with the sum,
/// so that whatever grows too and agrees there agrees everywhere.
std::vector<Point> Changes(const isa::RequantLane& lane, isa::Rounding rounding, int64_t low,
                           int64_t high) {
  auto at = [&](int64_t sum) {
    return Point{sum, isa::Requant(static_cast<int32_t>(sum), lane, rounding)};
  };
  std::vector<Point> points = {at(low)};
  const Point last = at(high);
  while (points.back().code != last.code) {
    const Point from = points.back();
    int64_t same = from.sum, other = high;
    while (other - same > 1) {
      const int64_t middle = same + (other - same) / 2;
      (at(middle).code == from.code ? same : other) = middle;
    }
    points.push_back({same, from.code});
    points.push_back(at(other));
  }
  points.push_back(last);
  return points;
}

bool Gives(const NarrowScale& scale, isa::Rounding rounding, int64_t bits,
           const std::vector<Point>& points) {
  return std::all_of(points.begin(), points.end(), [&](const Point& point) {
    return isa::Requant(static_cast<int32_t>(scale.factor * point.sum), scale.lane, rounding,
                        bits) == point.code;
  });
}

/// The least first: 0, 1, -1, 2, -2, ...
int64_t Alternating(int64_t i) { return i % 2 ? (i + 1) / 2 : -i / 2; }

}  // namespace

std::optional<NarrowScale> ExactNarrowScale(const isa::RequantLane& wanted, isa::Rounding rounding,
                                            int64_t bits, int64_t low, int64_t high, int64_t most) {
  constexpr int64_t kMultipliers = 5, kMostInt32 = std::numeric_limits<int32_t>::max();
  constexpr int kMostExponent = 30;
  const int64_t unit = int64_t{1} << (32 - bits);  // of a multiplier
  const std::vector<Point> points = Changes(wanted, rounding, low, high);
  for (int64_t factor = 1; factor <= most; ++factor) {
    const int64_t largest =
        factor * (std::max(std::abs(low), std::abs(high)) + std::abs(int64_t{wanted.bias}) + 1);
    if (largest > kMostInt32) break;
    int exponent = 0;
    const double real = std::ldexp(static_cast<double>(wanted.multiplier), wanted.exponent - 31) /
                        static_cast<double>(factor);
    const double fraction = std::frexp(real, &exponent);
    if (exponent < -31 || exponent > kMostExponent) continue;
    NarrowScale scale{factor, wanted};
    scale.lane.exponent = static_cast<int8_t>(exponent);
    const int64_t nearest = std::llround(std::ldexp(fraction, 31) / static_cast<double>(unit));
    for (int64_t m = 0; m < kMultipliers; ++m) {
      const int64_t multiplier = (nearest + Alternating(m)) * unit;
      if (multiplier > kMostInt32) continue;
      scale.lane.multiplier = static_cast<int32_t>(multiplier);
      for (int64_t d = 0; d <= factor; ++d) {  // half a unit of the sum either way
        scale.lane.bias = static_cast<int32_t>(factor * wanted.bias + Alternating(d));
        if (Gives(scale, rounding, bits, points)) return scale;
      }
    }
  }
  return std::nullopt;
}

}  // namespace vta::compiler::targets
