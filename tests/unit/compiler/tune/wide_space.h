// A space of many points whose costs and features are arithmetic.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "compiler/tune/space.h"

namespace vta::compiler::tune {

/// Costs are those of a working set that should be of a certain size, of a tile that should be
/// square, and of what is left over where tiles do not divide the `size`; estimates know of the
/// tile alone.
class WideSpace : public Space {
 public:
  static constexpr int64_t kMost = 12;  // of each of the four choices

  explicit WideSpace(int64_t size) : size_(size) {
    for (const char* name : {"rows", "columns", "depth", "unroll"}) {
      Choice choice{name, {}};
      for (int64_t value = 1; value <= kMost; ++value) choice.values.push_back(value);
      choices_.push_back(std::move(choice));
    }
  }
  int64_t CostOf(const Point& p) const {
    const double rows = static_cast<double>(p[0]), columns = static_cast<double>(p[1]);
    const double square = std::abs(std::log2(rows / columns));
    const double set = std::abs(std::log2(rows * columns * static_cast<double>(p[2]) / 96));
    const double code = std::abs(std::log2(static_cast<double>(p[2] * p[3]) / 18));
    return std::llround(1000 * WasteOf(p[0]) * WasteOf(p[1]) * (1 + square) * (1 + set) *
                        (1 + code));
  }

  std::string Workload() const override { return StrCat("wide ", size_); }
  const std::vector<Choice>& Choices() const override { return choices_; }
  bool Has(const Point& point) const override { return point[0] * point[1] <= 64; }
  int64_t Estimate(const Point& point) const override { return 1000 / (point[0] * point[1]); }
  std::vector<Point> Cheapest(int64_t count) const override {
    std::vector<std::pair<int64_t, Point>> all;
    for (int64_t i = 0; i < kMost * kMost * kMost * kMost; ++i) {
      Point point;
      for (int64_t left = i; std::ssize(point) < 4; left /= kMost)
        point.push_back(1 + left % kMost);
      if (Has(point)) all.emplace_back(Estimate(point), point);
    }
    std::ranges::sort(all);
    std::vector<Point> points;
    for (auto& [estimate, point] : all)
      if (std::ssize(points) < count) points.push_back(std::move(point));
    return points;
  }
  int64_t Bound() const override { return 0; }
  loop::Features FeaturesOf(const Point& p) const override {
    const auto octaves = [](double value) {
      return static_cast<int32_t>(std::lround(8 * std::log2(value)));
    };
    const auto of = [&](int64_t value) { return octaves(static_cast<double>(value)); };
    return {5,
            {of(p[0]), of(p[1]), of(p[2]), of(p[3]), of(p[0]) - of(p[1]), of(p[0] * p[1] * p[2]),
             of(p[2] * p[3]), octaves(WasteOf(p[0]) * WasteOf(p[1])), of(size_)}};
  }
  /// The code is nothing; its size says which point it is of.
  Trial Try(const Point& p) const override {
    return {KernelCode(), ((p[0] * 100 + p[1]) * 100 + p[2]) * 100 + p[3]};
  }
  static Point PointOf(const Trial& trial) {
    const int64_t at = trial.arena_bytes;
    return {at / 1'000'000, at / 10'000 % 100, at / 100 % 100, at % 100};
  }

 private:
  double WasteOf(int64_t tile) const {
    return static_cast<double>((size_ + tile - 1) / tile * tile) / static_cast<double>(size_);
  }

  const int64_t size_;
  std::vector<Choice> choices_;
};

}  // namespace vta::compiler::tune
