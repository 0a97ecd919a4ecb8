// How often each value of a tensor came, in equal bins around 0 that widen as the values do: one
// pass over any number of samples, in memory that does not grow.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace vta::compiler::quantize {

class Histogram {
 public:
  /// Values must be finite.
  void Add(std::span<const float> values);

  int64_t count() const { return count_; }
  /// The least and the greatest value that came; 0 before any did.
  double min() const { return count_ == 0 ? 0 : min_; }
  double max() const { return count_ == 0 ? 0 : max_; }
  /// How often 0 itself came: codes hold it exactly, whatever their range. No bin counts it.
  int64_t zeros() const { return zeros_; }
  /// Calls with the middle of every bin that is not empty, ascending, and its count.
  void ForEach(const std::function<void(double value, int64_t count)>& visit) const;
  double bin_width() const { return 2 * limit_ / kBins; }

 private:
  static constexpr int64_t kBins = 1 << 14;
  void Widen();

  double limit_ = 0;  // bins are in [-limit_, limit_); a power of two
  double min_ = std::numeric_limits<double>::infinity(), max_ = -min_;
  int64_t count_ = 0, zeros_ = 0;
  std::vector<int64_t> bins_;
};

}  // namespace vta::compiler::quantize
