// A step of the graph as tensor expressions over what lies in memory.
#pragma once

#include <span>

#include "compiler/targets/cpu/heads.h"

namespace vta::compiler::targets {

/// Parameters: the operands, then the result, "out" where the step has a head.
struct StepExpression {
  loop::Function function;
  std::vector<KernelInput> inputs;
  Sums sums;  // of the head; without the value
};

/// Errors: throws Error naming the node where the loop IR has no arithmetic for a type.
StepExpression Express(const Graph& graph, std::span<const NodeId> nodes, Arithmetic arithmetic);

}  // namespace vta::compiler::targets
