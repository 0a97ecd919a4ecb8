// A space of twenty points whose costs are in a table, and what measures them.
#pragma once

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/tune/measurer.h"
#include "compiler/tune/space.h"
#include "isa/support/error.h"

namespace vta::compiler::tune {

/// What joins keep.
struct FakeProgram : Joinable {
  explicit FakeProgram(Point p) : point(std::move(p)) {}
  Point point;
};

/// Points are a digit and a bit; the nearer the digit to 5, the lower the estimate.
class FakeSpace : public Space {
 public:
  explicit FakeSpace(std::string workload = "fake") : workload_(std::move(workload)) {}

  std::string Workload() const override { return workload_; }
  const std::vector<Choice>& Choices() const override { return choices_; }
  bool Has(const Point& point) const override { return point[0] != 9; }
  int64_t Estimate(const Point& point) const override {
    return 100 + 10 * std::abs(point[0] - 5) + point[1];
  }
  std::vector<Point> Cheapest(int64_t count) const override {
    std::vector<Point> points;
    for (const int64_t digit : choices_[0].values)
      for (const int64_t bit : choices_[1].values)
        if (Has({digit, bit})) points.push_back({digit, bit});
    std::ranges::stable_sort(points, {}, [&](const Point& point) { return Estimate(point); });
    points.resize(std::min<size_t>(points.size(), static_cast<size_t>(count)));
    return points;
  }
  int64_t Bound() const override { return 50; }
  /// The code is nothing; its size says which point it is of.
  Trial Try(const Point& point) const override {
    ++tried_;
    ProgramCode code;
    code.joinable = std::make_shared<FakeProgram>(point);
    return {std::move(code), 10 * point[0] + point[1]};
  }
  int64_t tried() const { return tried_; }

 private:
  const std::string workload_;
  const std::vector<Choice> choices_ = {{"digit", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, {"bit", {0, 1}}};
  mutable std::atomic<int64_t> tried_ = 0;
};

/// Costs 1000 but where the table says something else; a cost of 0 stands for code that fails.
class FakeMeasurer : public Measurer {
 public:
  explicit FakeMeasurer(std::initializer_list<std::pair<const int64_t, int64_t>> costs)
      : costs_(costs) {}
  std::string Name() const override { return "fake"; }
  uint64_t Hash() const override { return 7; }
  int64_t Measure(const Trial& trial) const override {
    const auto found = costs_.find(trial.arena_bytes);
    if (found == costs_.end()) return 1000;
    if (found->second == 0) throw Error("trial", "outcome", "fault", "must be finished");
    return found->second;
  }

 private:
  const std::map<int64_t, int64_t> costs_;
};

}  // namespace vta::compiler::tune
