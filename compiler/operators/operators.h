// Every op of the graph as a tensor expression, over plain tensors: for any target that makes loops
// of them.
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/loop/ir.h"
#include "compiler/te/te.h"

namespace vta::compiler::operators {

/// The output of a node over these inputs, which have the values' shapes (a scalar is [1]), as it
/// does. Errors: as Lower.
te::Tensor Define(const Graph& graph, const Node& node, const std::vector<te::Tensor>& inputs);

/// The loop nest of one node. Parameters: its inputs in order, then its output, each with the
/// value's shape (a scalar is [1]; ops that only rename elements see flat arrays). Errors: throws
/// Error naming the node where the loop IR has no arithmetic for an element type.
loop::Function Lower(const Graph& graph, const Node& node, const std::string& name);

}  // namespace vta::compiler::operators
