// A step of the graph as tensor expressions over what lies in memory.
#pragma once

#include <span>

#include "compiler/targets/cpu/anchors.h"
#include "compiler/targets/cpu/lines.h"

namespace vta::compiler::targets {

/// Parameters: the operands, then the result, "out" where the step has an anchor.
struct StepExpression {
  loop::Function function;
  std::vector<KernelInput> inputs;
  Sums sums;    // of the anchor; without the value
  Lines lines;  // the same
};

/// Errors: throws Error naming the node where the loop IR has no arithmetic for a type.
StepExpression Express(const Graph& graph, std::span<const NodeId> nodes, Arithmetic arithmetic);

}  // namespace vta::compiler::targets
