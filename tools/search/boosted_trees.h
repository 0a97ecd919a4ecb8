// A cost model of trees, each of which is fitted to what those before it get wrong.
#pragma once

#include <memory>

#include "compiler/tune/cost_model.h"

namespace vta::tools {

/// XGBoost with pairwise ranks: a workload's trials are compared with each other alone. On one
/// thread, for its draws depend on how many there are.
/// Errors: throws Error with what XGBoost says, or where the library of searches cannot be loaded.
class BoostedTrees : public compiler::tune::CostModel {
 public:
  BoostedTrees();

  void Fit(std::span<const compiler::tune::Examples* const> workloads) override {
    trees_->Fit(workloads);
  }
  /// All the same where nothing was learned.
  std::vector<double> Score(
      std::span<const compiler::loop::Features* const> candidates) const override {
    return trees_->Score(candidates);
  }

 private:
  std::unique_ptr<compiler::tune::CostModel> trees_;
};

}  // namespace vta::tools
