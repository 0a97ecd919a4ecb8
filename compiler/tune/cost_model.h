// What learns from trials which candidates of a workload are the quick ones.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/loop/features.h"

namespace vta::compiler::tune {

/// What came of a trial: a cost, or none where it failed.
struct Example {
  loop::Features features;
  std::optional<int64_t> cost;
};
/// Of one workload.
using Examples = std::vector<Example>;

class CostModel {
 public:
  virtual ~CostModel() = default;
  /// Learns the order of costs within each workload, from these alone. Features are of one kind.
  virtual void Fit(std::span<const Examples* const> workloads) = 0;
  /// Of each one more where less cost is expected: numbers that compare candidates of a workload.
  virtual std::vector<double> Score(std::span<const loop::Features* const> candidates) const = 0;
};

}  // namespace vta::compiler::tune
