// Fusion on the targets that take any op: a node joins the step that makes what it reads, where
// nobody else reads that and the target computes both together. No path leaves such a step and
// comes back: its values in between have one reader.
#include <algorithm>
#include <map>

#include "compiler/graph/passes/passes.h"

namespace vta::compiler {
namespace {

// Of a step: whatever compiles it goes as deep as its nodes stand behind each other.
constexpr size_t kMostNodes = 64;

void FuseOn(const Target& target, const Graph& graph, Graph& fused) {
  const std::vector<int64_t> uses = graph.UseCounts();
  int64_t next = 0;
  for (const Node& node : fused.nodes()) next = std::max(next, node.group + 1);
  std::map<NodeId, std::vector<NodeId>> ending;  // steps of the target by their last node
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    const Node& node = graph.nodes()[id];
    if (node.target != target.Name()) continue;
    std::vector<NodeId> step = {id};
    for (ValueId input : node.inputs) {
      const auto before = ending.find(graph.value(input).producer);
      if (before == ending.end() || uses[input] != 1 || before->second.size() == kMostNodes)
        continue;
      std::vector<NodeId> together = before->second;
      together.push_back(id);
      // Of several the one that ends last, which hides the others' loads.
      if ((step.size() == 1 || together[together.size() - 2] > step[step.size() - 2]) &&
          target.CanTake(graph, together))
        step = std::move(together);
    }
    if (step.size() > 1) {
      ending.erase(step[step.size() - 2]);
      const int64_t group = step.size() == 2 ? next++ : fused.nodes()[step[0]].group;
      for (NodeId member : step) fused.Place(member, node.target, group, graph.nodes()[member].why);
    }
    ending[id] = std::move(step);
  }
}

}  // namespace

Graph FuseRest(const Graph& graph, const PassContext& context) {
  Graph fused = graph;
  for (const Target* target : context.Takers()) FuseOn(*target, graph, fused);
  return fused;
}

}  // namespace vta::compiler
