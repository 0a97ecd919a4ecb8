// Why the target that takes the rest computes a node, whatever the others are.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// For each node a phrase; empty where the others may be asked to compute it: an int8 layer
/// whose activations have rank 2 or 4.
std::vector<std::string> RestReasons(const Graph& graph);

}  // namespace vta::compiler
