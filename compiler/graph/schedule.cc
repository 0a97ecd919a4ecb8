#include "compiler/graph/schedule.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <map>
#include <set>

namespace vta::compiler {

std::optional<std::vector<int64_t>> TopologicalOrder(
    int64_t count, const std::vector<std::pair<int64_t, int64_t>>& edges) {
  // Edges are stored from `after` to `before`: the depth-first finishing order is then the order
  // wanted, and it visits an already sorted graph from 0 up.
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(count);
  for (const auto& [before, after] : edges) boost::add_edge(after, before, graph);
  std::vector<int64_t> order;
  try {
    boost::topological_sort(graph, std::back_inserter(order));
  } catch (const boost::not_a_dag&) {
    return std::nullopt;
  }
  return order;
}

std::vector<Step> Steps(const Graph& graph) {
  std::vector<Step> steps;
  std::vector<int64_t> step_of(graph.nodes().size());
  std::map<int64_t, int64_t> step_of_group;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    const Node& node = graph.nodes()[id];
    int64_t step = static_cast<int64_t>(steps.size());
    if (node.group != kNone) step = step_of_group.try_emplace(node.group, step).first->second;
    if (step == static_cast<int64_t>(steps.size())) steps.push_back({{}, node.target});
    if (steps[step].target != node.target)
      throw Error(graph.name(), StrCat("group ", node.group),
                  StrCat(steps[step].target, " and ", node.target), "must have one target");
    steps[step].nodes.push_back(id);
    step_of[id] = step;
  }
  std::vector<std::pair<int64_t, int64_t>> edges;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    for (ValueId input : graph.nodes()[id].inputs) {
      const NodeId producer = graph.value(input).producer;
      if (producer != kNone && step_of[producer] != step_of[id])
        edges.emplace_back(step_of[producer], step_of[id]);
    }
  }
  const auto order = TopologicalOrder(static_cast<int64_t>(steps.size()), edges);
  if (!order)
    throw Error(graph.name(), "groups", "cyclic",
                "groups must not wait for each other in a circle");
  std::vector<Step> sorted;
  for (int64_t step : *order) sorted.push_back(std::move(steps[step]));
  return sorted;
}

std::vector<StepInterface> Interfaces(const Graph& graph, std::span<const Step> steps) {
  std::vector<size_t> step_of(graph.nodes().size());
  for (size_t step = 0; step < steps.size(); ++step)
    for (NodeId id : steps[step].nodes) step_of[id] = step;
  std::set<ValueId> crossing;
  for (const GraphOutput& output : graph.outputs()) crossing.insert(output.value);
  std::vector<StepInterface> result(steps.size());
  for (size_t step = 0; step < steps.size(); ++step) {
    std::set<ValueId> seen;
    for (NodeId id : steps[step].nodes) {
      for (ValueId input : graph.nodes()[id].inputs) {
        const NodeId producer = graph.value(input).producer;
        if (producer != kNone && step_of[producer] == step) continue;
        if (seen.insert(input).second) result[step].inputs.push_back(input);
        crossing.insert(input);
      }
    }
  }
  for (size_t step = 0; step < steps.size(); ++step)
    for (NodeId id : steps[step].nodes)
      if (crossing.contains(graph.nodes()[id].output))
        result[step].outputs.push_back(graph.nodes()[id].output);
  return result;
}

}  // namespace vta::compiler
