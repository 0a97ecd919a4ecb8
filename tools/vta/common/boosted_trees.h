// A cost model of trees, each of which is fitted to what those before it get wrong.
#pragma once

#include <memory>

#include "compiler/tune/cost_model.h"

namespace vta::tools {

/// XGBoost with pairwise ranks: a workload's trials are compared with each other alone. On one
/// thread, for its draws depend on how many there are.
/// Errors: throws Error with what XGBoost says.
class BoostedTrees : public compiler::tune::CostModel {
 public:
  BoostedTrees();
  ~BoostedTrees() override;

  void Fit(std::span<const compiler::tune::Examples* const> workloads) override;
  /// All the same where nothing was learned.
  std::vector<double> Score(
      std::span<const compiler::loop::Features* const> candidates) const override;

 private:
  class Booster;
  std::unique_ptr<Booster> booster_;
};

}  // namespace vta::tools
