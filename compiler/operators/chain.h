// Element-wise nodes that a step computes behind another one.
#pragma once

#include <span>
#include <string>

#include "compiler/graph/graph.h"

namespace vta::compiler::operators {

/// Why a step cannot compute `node` of each element that `before` makes, in a phrase; "" where it
/// can: `node` is element-wise, makes values of the same shape and reads those once.
std::string WhyNotBehind(const Graph& graph, const Node& node, const Node& before);

/// The same of the nodes of a step before it, any of which it may read, as often as it likes.
std::string WhyNotBehind(const Graph& graph, const Node& node, std::span<const NodeId> before);

}  // namespace vta::compiler::operators
