// How few cycles a step of the graph can take, whatever its program.
#pragma once

#include <vector>

#include "compiler/graph/schedule.h"
#include "isa/config.h"
#include "isa/package.h"

namespace vta::compiler::targets {

/// Two lines that a step's cycles are held against, with the memory's rate as `bus`, the bytes that
/// it moves in a cycle.
///
/// The ideal line: max(MACs / (batch * block_in * block_out), bytes / bus), of the MACs of the
/// network, and of its weights, parameters, inputs that some window reads and outputs, each once.
///
/// The machine bound: max(passes, bytes / bus) of the lay-out for which that is least (LayoutsOf),
/// where passes are the micro-ops of GEMM and of the ALU over all vectors, one a cycle, one after
/// the other; with two banks of the accumulator the larger of both sums. Its bytes are in whole
/// blocks.
///
/// Where the second is more than 1.3 times the first, lost_to says what it is mostly made of
/// besides.
/// Errors: as PlanStep.
isa::LayerBounds BoundsOf(const isa::Config& config, const Graph& graph, const Step& step);

/// Micro-ops over each vector of an operator's outputs, in a case that says what an operator costs.
struct OperatorPasses {
  const char* name;
  bool possible = true;  // otherwise other layers' parts or a CPU do it
  double gemm = 0, alu = 0;
};
std::vector<OperatorPasses> PassesOf(const isa::Config& config);

}  // namespace vta::compiler::targets
