// Islands of a target with memory of its own: nodes there that are joined to each other, and what
// they take and make copied from and to others. Where the copies alone take longer than the next
// target that takes any op would for all of the island, it goes there. One without a border, or
// with a node that is asked for there, stays.
#include <algorithm>
#include <numeric>
#include <set>

#include "compiler/graph/facts.h"
#include "compiler/graph/passes/passes.h"

namespace vta::compiler {
namespace {

// Of a copy, until those who wait for it go on; and what memory, the bus to a GPU and some cores of
// a CPU do in a nanosecond. Orders of magnitude: an island is far from where both are equal.
constexpr double kCopyNs = 20'000, kBytesPerNs = 10, kMacsPerNs = 20;

class Islands {
 public:
  Islands(const Graph& graph, const Target& target) : graph_(graph), of_(graph.nodes().size()) {
    std::iota(of_.begin(), of_.end(), NodeId{0});
    for (NodeId id = 0; id < std::ssize(graph.nodes()); ++id)
      if (graph.nodes()[id].target == target.Name())
        for (const ValueId input : graph.nodes()[id].inputs)
          if (const NodeId maker = graph.value(input).producer;
              maker != kNone && graph.nodes()[maker].target == target.Name())
            of_[First(maker)] = First(id);
    for (NodeId id = 0; id < std::ssize(graph.nodes()); ++id)
      if (graph.nodes()[id].target == target.Name()) nodes_[First(id)].push_back(id);
  }

  /// The nodes of each.
  const std::map<NodeId, std::vector<NodeId>>& nodes() const { return nodes_; }

  /// What crosses its border to other steps.
  std::set<ValueId> BorderOf(std::span<const NodeId> nodes) const {
    const std::set<NodeId> own(nodes.begin(), nodes.end());
    std::set<ValueId> border;
    for (NodeId id = 0; id < std::ssize(graph_.nodes()); ++id)
      for (const ValueId input : graph_.nodes()[id].inputs)
        if (const NodeId maker = graph_.value(input).producer;
            maker != kNone && own.contains(id) != own.contains(maker))
          border.insert(input);
    return border;
  }

 private:
  NodeId First(NodeId id) {
    while (of_[id] != id) id = of_[id] = of_[of_[id]];
    return id;
  }

  const Graph& graph_;
  std::vector<NodeId> of_;  // towards the one that stands for its island
  std::map<NodeId, std::vector<NodeId>> nodes_;
};

double CopiesNs(const Graph& graph, const std::set<ValueId>& border) {
  double ns = 0;
  for (const ValueId value : border)
    ns += kCopyNs + static_cast<double>(graph.type(value).bytes()) / kBytesPerNs;
  return ns;
}

double ComputeNs(const Graph& graph, std::span<const NodeId> nodes) {
  double ns = 0;
  for (const NodeId id : nodes) {
    const Node& node = graph.nodes()[id];
    const auto macs = static_cast<double>(FactsOf(graph, {{id}, node.target}).macs);
    double bytes = static_cast<double>(graph.type(node.output).bytes());
    for (const ValueId input : node.inputs) bytes += static_cast<double>(graph.type(input).bytes());
    ns += std::max(macs / kMacsPerNs, bytes / kBytesPerNs);
  }
  return ns;
}

}  // namespace

Graph LeaveIslands(const Graph& graph, const PassContext& context) {
  Graph left = graph;
  const std::vector<const Target*> takers = context.Takers();
  for (size_t i = 0; i + 1 < takers.size(); ++i) {
    const Target &target = *takers[i], &next = *takers[i + 1];
    if (!target.HasOwnMemory()) continue;
    const Islands islands(graph, target);
    for (const auto& [first, nodes] : islands.nodes()) {
      const std::set<ValueId> border = islands.BorderOf(nodes);
      const bool stays = std::ranges::any_of(nodes, [&](NodeId id) {
        return context.places.contains(graph.nodes()[id].name) || !next.CanTake(graph, {&id, 1});
      });
      if (stays || border.empty() || ComputeNs(graph, nodes) >= CopiesNs(graph, border)) continue;
      const std::string why = StrCat("is less work than copies to ", target.Name(), " and back");
      for (const NodeId id : nodes) {
        const std::string& before = graph.nodes()[id].why;
        left.Place(id, next.Name(), kNone, before.empty() ? why : StrCat(before, "; ", why));
      }
    }
  }
  return left;
}

}  // namespace vta::compiler
