// The host target: every op of the graph as a tensor expression, for what no accelerator takes.
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/loop/ir.h"

namespace vta::compiler::host {

/// The loop nest of one node. Parameters: its inputs in order, then its output, each with the
/// value's shape (a scalar is [1]; ops that only rename elements see flat arrays). Errors: throws
/// Error naming the node where an element type has no host arithmetic.
loop::Function Lower(const Graph& graph, const Node& node, const std::string& name);

}  // namespace vta::compiler::host
