#include "compiler/quantize/histogram.h"

#include <algorithm>
#include <cmath>

namespace vta::compiler::quantize {

void Histogram::Widen() {
  std::vector<int64_t> wider(kBins);
  for (int64_t i = 0; i < kBins; ++i) wider[kBins / 4 + i / 2] += bins_[i];
  bins_ = std::move(wider);
  limit_ *= 2;
}

void Histogram::Add(std::span<const float> values) {
  if (values.empty()) return;
  const auto [least, greatest] = std::ranges::minmax(values);
  min_ = std::min<double>(min_, least);
  max_ = std::max<double>(max_, greatest);
  count_ += std::ssize(values);
  const double largest = std::max(std::abs(double{least}), std::abs(double{greatest}));
  if (bins_.empty() && largest > 0) {
    bins_.resize(kBins);
    int exponent = 0;
    std::frexp(largest, &exponent);
    limit_ = std::ldexp(1.0, exponent);
  }
  while (largest >= limit_ && largest > 0) Widen();
  const double per_bin = limit_ > 0 ? kBins / (2 * limit_) : 0;
  for (const float value : values) {
    if (value == 0)
      ++zeros_;
    else
      ++bins_[std::clamp<int64_t>(static_cast<int64_t>((value + limit_) * per_bin), 0, kBins - 1)];
  }
}

void Histogram::ForEach(const std::function<void(double, int64_t)>& visit) const {
  for (int64_t i = 0; i < std::ssize(bins_); ++i)
    if (bins_[i] > 0) visit((static_cast<double>(i) + 0.5) * bin_width() - limit_, bins_[i]);
}

}  // namespace vta::compiler::quantize
