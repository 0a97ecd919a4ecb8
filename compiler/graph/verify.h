// Checks everything that makes a graph sound; runs between passes.
#pragma once

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// Checks each node against its op's row, each value against its producer, that values are defined
/// before they are read, names are unique, and groups can be executed as units.
/// Errors: throws Error naming the graph and the value or node.
void Verify(const Graph& graph);

}  // namespace vta::compiler
