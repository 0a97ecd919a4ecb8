// Runs a graph with plain C++ for each op: the oracle of every later stage, and constant folding.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// The outputs, in the graph's order, for inputs in the graph's order.
/// Errors: throws Error if an input's number, type or shape is not the graph's.
std::vector<Tensor> Evaluate(const Graph& graph, const std::vector<Tensor>& inputs);

/// The value that `node` makes of these inputs.
Tensor EvaluateNode(const Graph& graph, const Node& node, const std::vector<const Tensor*>& inputs);

}  // namespace vta::compiler
