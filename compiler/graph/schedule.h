// Orders and partitions: topological order, and groups as single steps.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// Vertices 0..count-1 so that for each edge (before, after) the first comes first; an order that
/// is sound already is kept. Nothing if there is a cycle.
std::optional<std::vector<int64_t>> TopologicalOrder(
    int64_t count, const std::vector<std::pair<int64_t, int64_t>>& edges);

/// What is executed as a unit: one ungrouped node, or the nodes of a group.
struct Step {
  std::vector<NodeId> nodes;  // in graph order
  std::string target;
};

/// The graph's steps in an executable order.
/// Errors: throws Error if a group's nodes differ in target, or groups depend on each other in a
/// cycle.
std::vector<Step> Steps(const Graph& graph);

/// What a step reads from outside, and which of its values others (or the graph's user) read.
struct StepInterface {
  std::vector<ValueId> inputs;  // constants included, in order of first use
  std::vector<ValueId> outputs;
};
/// Of every step; `steps` are all of the graph.
std::vector<StepInterface> Interfaces(const Graph& graph, std::span<const Step> steps);

}  // namespace vta::compiler
