// What the values of a network's outputs are, as its own operators say.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"
#include "isa/package.h"

namespace vta::compiler {

/// Of each output of an imported graph: the scale of its codes, where one quantisation makes them,
/// and whether a softmax or a sigmoid does, whatever moves or quantises their results.
std::vector<isa::OutputFacts> OutputFactsOf(const Graph& imported);

}  // namespace vta::compiler
