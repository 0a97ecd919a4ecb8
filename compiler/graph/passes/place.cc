// Placement: each group goes to the first target that takes it. A fused group that nobody takes is
// split into its ops, which are asked for again; what is refused then stays on the host, ungrouped.
#include <map>

#include "compiler/graph/passes/passes.h"

namespace vta::compiler {
namespace {

const Target* FirstTaker(const Graph& graph, std::span<const NodeId> group,
                         const PassContext& context) {
  for (const Target* target : context.targets) {
    if (target->CanTake(graph, group)) return target;
  }
  return nullptr;
}

}  // namespace

Graph PlaceGroups(const Graph& graph, const PassContext& context) {
  std::map<int64_t, std::vector<NodeId>> groups;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    if (graph.nodes()[id].group != kNone) groups[graph.nodes()[id].group].push_back(id);
  }
  Graph placed = graph;
  int64_t next = 0;  // groups are numbered anew, without gaps
  for (const auto& [group, nodes] : groups) {
    const Target* whole = FirstTaker(graph, nodes, context);
    if (whole) {
      for (NodeId id : nodes) placed.Place(id, whole->Name(), next);
      ++next;
      continue;
    }
    for (NodeId id : nodes) {
      const Target* one = nodes.size() > 1 ? FirstTaker(graph, {&id, 1}, context) : nullptr;
      placed.Place(id, one ? one->Name() : kHostTarget, one ? next++ : kNone);
    }
  }
  return placed;
}

}  // namespace vta::compiler
