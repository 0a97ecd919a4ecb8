#include "compiler/quantize/range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "isa/support/error.h"

namespace vta::compiler::quantize {
namespace {

constexpr int64_t kCodes = 256, kLow = -128, kHigh = 127;

struct Bin {
  double value;
  double count;
};

std::vector<Bin> BinsOf(const Histogram& values) {
  std::vector<Bin> bins;
  values.ForEach([&](double value, int64_t count) {
    bins.push_back({value, static_cast<double>(count)});
  });
  return bins;
}

Range Whole(const Histogram& values) {
  return {std::min(values.min(), 0.0), std::max(values.max(), 0.0)};
}

Range Percentile(const Histogram& values, double percentile) {
  const double out = static_cast<double>(values.count()) * (1 - percentile / 100);
  const Range whole = Whole(values);
  Range range;
  double below = 0, at_zero = static_cast<double>(values.zeros());
  const double half = values.bin_width() / 2;
  bool low_found = false;
  for (const Bin& bin : BinsOf(values)) {
    if (bin.value > 0) {
      below += at_zero;
      at_zero = 0;
    }
    below += bin.count;
    if (!low_found && below > out) {
      range.low = std::min(bin.value - half, 0.0);
      low_found = true;
    }
    range.high = std::max(bin.value + half, 0.0);
    if (below >= static_cast<double>(values.count()) - out) break;
  }
  return {std::max(range.low, whole.low), std::min(range.high, whole.high)};
}

double ErrorOf(const std::vector<Bin>& bins, const Range& range) {
  const double scale = (range.high - range.low) / (kCodes - 1);
  if (scale == 0) {
    double sum = 0;
    for (const Bin& bin : bins) sum += bin.count * bin.value * bin.value;
    return sum;
  }
  const double zero = std::clamp<double>(std::nearbyint(kLow - range.low / scale), kLow, kHigh);
  double sum = 0;
  for (const Bin& bin : bins) {
    const double code = std::clamp<double>(std::nearbyint(bin.value / scale) + zero, kLow, kHigh);
    const double error = (code - zero) * scale - bin.value;
    sum += bin.count * error * error;
  }
  return sum;
}

/// Shrinks one end, then the other, until neither helps.
Range LeastSquares(const Histogram& values) {
  constexpr int kSteps = 100, kRounds = 3;
  const std::vector<Bin> bins = BinsOf(values);
  const Range whole = Whole(values);
  Range best = whole;
  double least = ErrorOf(bins, best);
  for (int round = 0; round < kRounds; ++round) {
    const Range before = best;
    for (double Range::*end : {&Range::high, &Range::low}) {
      if (whole.*end == 0) continue;
      Range tried = best;
      for (int step = 1; step <= kSteps; ++step) {
        tried.*end = whole.*end * step / kSteps;
        if (const double error = ErrorOf(bins, tried); error < least) {
          least = error;
          best = tried;
        }
      }
    }
    if (best == before) break;
  }
  return best;
}

/// How far the codes' distribution is from the values', both within the range and what lies outside
/// at its ends. Infinite where it cannot be told.
double Divergence(const std::vector<Bin>& bins, double bin_width, const Range& range) {
  const double scale = (range.high - range.low) / (kCodes - 1);
  std::vector<double> clipped;  // counts of the bins inside, outliers at the ends
  std::vector<int64_t> level;   // the code of each
  std::vector<double> mass(kCodes), used(kCodes);
  double below = 0, above = 0;
  for (const Bin& bin : bins) {
    if (bin.value + bin_width / 2 < range.low) {
      below += bin.count;
    } else if (bin.value - bin_width / 2 > range.high) {
      above += bin.count;
    } else {
      const auto at = static_cast<int64_t>((bin.value - range.low) / scale);
      level.push_back(std::clamp<int64_t>(at, 0, kCodes - 1));
      clipped.push_back(bin.count);
      mass[level.back()] += bin.count;
      ++used[level.back()];
    }
  }
  if (clipped.empty()) return std::numeric_limits<double>::infinity();
  double inside = 0;
  for (const double count : clipped) inside += count;
  clipped.front() += below;
  clipped.back() += above;
  const double total = inside + below + above;
  double divergence = 0;
  for (size_t i = 0; i < clipped.size(); ++i) {
    const double p = clipped[i] / total;
    const double q = mass[level[i]] / used[level[i]] / inside;
    divergence += p * std::log(p / q);
  }
  return divergence;
}

Range LeastDivergence(const Histogram& values) {
  constexpr int kSteps = 128, kLeast = 16;
  const std::vector<Bin> bins = BinsOf(values);
  const Range whole = Whole(values);
  Range best = whole;
  double least = std::numeric_limits<double>::infinity();
  for (int step = kSteps; step >= kLeast; --step) {
    const Range tried{whole.low * step / kSteps, whole.high * step / kSteps};
    if (const double divergence = Divergence(bins, values.bin_width(), tried); divergence < least) {
      least = divergence;
      best = tried;
    }
  }
  return best;
}

}  // namespace

Range ChooseRange(const Histogram& values, Method method, double percentile) {
  VTA_CHECK(method != Method::kAuto, "a method that chooses a range");
  switch (method) {
    case Method::kPercentile:
      return Percentile(values, percentile);
    case Method::kEntropy:
      return LeastDivergence(values);
    case Method::kMse:
      return LeastSquares(values);
    case Method::kMinMax:
    case Method::kAuto:
      break;
  }
  return Whole(values);
}

double MeanSquareError(const Histogram& values, const Range& range) {
  return ErrorOf(BinsOf(values), range) / static_cast<double>(std::max<int64_t>(values.count(), 1));
}

CodeScale ScaleOfRange(const Range& range) {
  const double width = range.high - range.low;
  if (width == 0) return {1, 0};
  const auto scale = static_cast<float>(width / (kCodes - 1));
  if (!std::isnormal(scale))
    throw Error("", "scale", StrCat(width / (kCodes - 1)), "must be a normal float32");
  const double zero = std::nearbyint(kLow - range.low / scale);
  return {scale, static_cast<int64_t>(std::clamp<double>(zero, kLow, kHigh))};
}

Range RangeOfScale(const CodeScale& scale) {
  return {static_cast<double>(kLow - scale.zero_point) * scale.scale,
          static_cast<double>(kHigh - scale.zero_point) * scale.scale};
}

}  // namespace vta::compiler::quantize
