// What the nodes of a step compute, by kinds of operations that cost alike: for models of a CPU.
#pragma once

#include "compiler/graph/schedule.h"
#include "isa/spec/work.h"

namespace vta::compiler {

/// As the network states it: Winograd's fewer products, and what a kernel computes twice, are not
/// in it. What only moves data has no work.
isa::WorkCounts WorkOf(const Graph& graph, const Step& step);

}  // namespace vta::compiler
