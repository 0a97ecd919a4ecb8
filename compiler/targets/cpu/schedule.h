// The schedule of a kernel of the CPU, by rule.
#pragma once

#include "compiler/targets/cpu/express.h"
#include "compiler/targets/cpu/tile.h"

namespace vta::compiler::targets {

/// The expression's loops in the order, the tiles and the tasks that suit the CPU. Kernels of one
/// step have the same tasks on all CPUs.
loop::Function Scheduled(const Graph& graph, std::span<const NodeId> nodes,
                         const StepExpression& expression, const Registers& registers);

}  // namespace vta::compiler::targets
