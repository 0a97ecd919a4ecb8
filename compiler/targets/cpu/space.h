// The schedule space of a step on the CPU: how its kernel is cut into tasks and tiles.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/graph/schedule.h"
#include "compiler/targets/cpu/schedule.h"
#include "compiler/tune/space.h"

namespace vta::compiler::targets {

/// Of one kind of CPU and so many threads, for which each point has tasks. Estimates are
/// nanoseconds of a core that has three cycles in each; nothing is known that no point can cost
/// less than.
class CpuSpace : public tune::Space {
 public:
  /// Refers to the graph. The expression has sums.
  CpuSpace(const Graph& graph, const Step& step, StepExpression expression,
           const Registers& registers, int64_t threads);

  std::string Workload() const override { return workload_; }
  const std::vector<tune::Choice>& Choices() const override { return choices_; }
  bool Has(const tune::Point& point) const override;
  int64_t Estimate(const tune::Point& point) const override;
  /// The first is that of ChoosePlan.
  std::vector<tune::Point> Cheapest(int64_t count) const override;
  int64_t Bound() const override { return 0; }
  loop::Features FeaturesOf(const tune::Point& point) const override;
  tune::Trial Try(const tune::Point& point) const override;

 private:
  std::vector<tune::Point> AllPoints() const;
  loop::Function FunctionAt(const tune::Point& point) const;

  const Graph& graph_;
  const Step step_;
  const StepExpression expression_;
  const Registers registers_;
  const KernelPlan rule_;
  const int64_t fewest_tasks_;
  const std::string workload_;
  const std::vector<tune::Choice> choices_;
  const std::shared_ptr<loop::StepMemo> memo_ = std::make_shared<loop::StepMemo>();
};

/// The plan at a point of the step's space, which has it.
KernelPlan PlanAt(const tune::Point& point, const KernelPlan& rule);

}  // namespace vta::compiler::targets
