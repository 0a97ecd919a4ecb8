// The schedule of a kernel of the CPU, by its plan.
#pragma once

#include <memory>
#include <span>

#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/cpu/express.h"
#include "compiler/targets/cpu/plan.h"

namespace vta::compiler::targets {

/// The expression's loops in the order, the tiles and the tasks of a plan. `memo`: of plans of this
/// expression alone; or nullptr.
loop::Function Scheduled(const Graph& graph, std::span<const NodeId> nodes,
                         const StepExpression& expression, const KernelPlan& plan,
                         std::shared_ptr<loop::StepMemo> memo = nullptr);

}  // namespace vta::compiler::targets
