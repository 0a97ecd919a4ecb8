// Placement: each group goes to the first target that takes it. A fused group that nobody takes is
// split into its ops, which are asked for again; what is refused then goes, ungrouped, to the
// target that takes the rest.
#include <map>

#include "compiler/graph/passes/passes.h"

namespace vta::compiler {

Graph PlaceGroups(const Graph& graph, const PassContext& context) {
  std::map<int64_t, std::vector<NodeId>> groups;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    if (graph.nodes()[id].group != kNone) groups[graph.nodes()[id].group].push_back(id);
  }
  Graph placed = graph;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id)
    if (graph.nodes()[id].group == kNone) PlaceInRest(placed, id, graph.nodes()[id].why, context);
  int64_t next = 0;  // groups are numbered anew, without gaps
  for (const auto& [group, nodes] : groups) {
    std::string why;
    const Target* whole = FirstTaker(graph, nodes, context, &why);
    if (whole) {
      for (NodeId id : nodes) placed.Place(id, whole->Name(), next);
      ++next;
      continue;
    }
    for (NodeId id : nodes) {
      const Target* one = nodes.size() > 1 ? FirstTaker(graph, {&id, 1}, context, &why) : nullptr;
      if (one)
        placed.Place(id, one->Name(), next++);
      else
        PlaceInRest(placed, id, why, context);
    }
  }
  return placed;
}

}  // namespace vta::compiler
