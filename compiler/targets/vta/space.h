// The schedule space of a step on VTA: the rule of its operator, and the program of each point.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/graph/schedule.h"
#include "compiler/targets/vta/kernels/hiding.h"
#include "compiler/targets/vta/kernels/step_plan.h"
#include "compiler/targets/vta/tasks/task.h"
#include "compiler/tune/space.h"
#include "isa/config.h"

namespace vta::compiler::targets {

/// The tasks of a scheduled step in the order in which they are to run, not connected.
TaskProgram TasksOf(const isa::Config& config, const loop::Function& scheduled,
                    isa::Rounding rounding, const SparseConstants& sparse,
                    const std::optional<PhasePlaces>& phases);

/// What joins keep of a step's program: its tasks in their order, and where its tensors lie.
struct JoinableTasks : Joinable {
  std::shared_ptr<const TaskProgram> tasks;
  std::vector<int64_t> offsets;  // bytes; empty of trials
};

class VtaSpace : public tune::Space {
 public:
  /// Refers to the config, and `steps` to what that refers to. `bound`: cycles.
  VtaSpace(const isa::Config& config, isa::Rounding rounding, int64_t bound,
           std::unique_ptr<StepSpace> steps)
      : config_(config),
        rounding_(rounding),
        bound_(bound),
        steps_(std::move(steps)),
        choices_(steps_->Choices()) {}

  std::string Workload() const override { return steps_->Workload(); }
  const std::vector<tune::Choice>& Choices() const override { return choices_; }
  bool Has(const tune::Point& point) const override { return steps_->Has(point); }
  int64_t Estimate(const tune::Point& point) const override { return steps_->Estimate(point); }
  std::vector<tune::Point> Cheapest(int64_t count) const override {
    return steps_->Cheapest(count);
  }
  int64_t Bound() const override { return bound_; }
  /// The step's program alone, whose constants are its micro-ops; JoinableTasks are kept of it.
  tune::Trial Try(const tune::Point& point) const override;
  TaskProgram Tasks(const tune::Point& point) const;
  const StepSpace& steps() const { return *steps_; }

 private:
  const isa::Config& config_;
  const isa::Rounding rounding_;
  const int64_t bound_;
  const std::unique_ptr<StepSpace> steps_;
  const std::vector<tune::Choice> choices_;
};

}  // namespace vta::compiler::targets
