// Every op of the graph as a tensor expression, over plain tensors: for any target that makes loops
// of them.
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/loop/ir.h"

namespace vta::compiler::operators {

/// The loop nest of one node. Parameters: its inputs in order, then its output, each with the
/// value's shape (a scalar is [1]; ops that only rename elements see flat arrays). Errors: throws
/// Error naming the node where the loop IR has no arithmetic for an element type.
loop::Function Lower(const Graph& graph, const Node& node, const std::string& name);

}  // namespace vta::compiler::operators
