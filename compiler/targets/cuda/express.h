// A step of the graph as tensor expressions over tensors that lie row by row.
#pragma once

#include <span>
#include <vector>

#include "compiler/targets/step_code.h"

namespace vta::compiler::targets {

/// Parameters: the inputs, then the result.
struct GpuExpression {
  loop::Function function;
  std::vector<KernelInput> inputs;
  bool is_product = false;  // of taps, as conv.h has them: the result is [N, O, H*W]
};

/// Errors: throws Error naming the node where the loop IR has no arithmetic for a type.
GpuExpression ExpressForGpu(const Graph& graph, std::span<const NodeId> nodes);

}  // namespace vta::compiler::targets
