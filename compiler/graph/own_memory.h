// Which values lie in the memory that a target has of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// Of each value, constants apart. `targets`: the names of those that have such memory. What a node
/// makes lies where its target works; an input lies there where nobody else reads it.
std::vector<bool> LieInOwnMemory(const Graph& graph, const std::set<std::string>& targets);

}  // namespace vta::compiler
