// Fusion on the targets that take any op: a node joins the step that makes what it reads, where
// nobody else reads that and the target computes both together; and so do nodes that read it
// several times between them, element by element or side by side, and of which one value comes out
// (x * sigmoid(x)). No path leaves such a step and comes back: its values in between have no reader
// outside.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"

namespace vta::compiler {
namespace {

// Of a step: whatever compiles it goes as deep as its nodes stand behind each other.
constexpr size_t kMostNodes = 64;

/// The nodes that read each value, in order.
using Readers = std::vector<std::vector<NodeId>>;

Readers ReadersOf(const Graph& graph) {
  Readers readers(graph.values().size());
  for (NodeId id = 0; id < std::ssize(graph.nodes()); ++id)
    for (ValueId input : graph.nodes()[id].inputs) readers[input].push_back(id);
  return readers;
}

/// Whether it takes elements of its operand at known places along an axis, some perhaps twice.
bool TakesSome(const Graph& graph, const Node& node) {
  return node.op == Op::kGather && graph.constant(node.inputs[1]);
}

/// The nodes behind one whose value they alone read, which take some of it, compute element by
/// element or put values side by side, down to the first behind which one value is left; none where
/// there are no such, or where one of them joined another step.
std::vector<NodeId> NodesBetween(const Target& target, const Graph& graph,
                                 const std::vector<int64_t>& uses, const Readers& readers,
                                 const std::vector<bool>& joined, NodeId first) {
  constexpr size_t kMostBetween = 16;
  const ValueId value = graph.nodes()[first].output;
  std::map<ValueId, int64_t> open;  // with readers yet to come
  std::set<NodeId> next;
  const auto add = [&](ValueId made) {
    open[made] = uses[made];
    next.insert(readers[made].begin(), readers[made].end());
  };
  add(value);
  std::vector<NodeId> nodes;
  while (!next.empty() && next.size() <= kMostBetween && nodes.size() < kMostBetween) {
    const NodeId id = next.extract(next.begin()).value();
    const Node& node = graph.nodes()[id];
    const bool takes = TakesSome(graph, node) || node.op == Op::kConcat;
    if (joined[id] || node.target != target.Name() || !(takes || Spec(node.op).traits.elementwise))
      return {};
    for (const ValueId input : node.inputs)
      if (!takes && open.contains(input) && graph.shape(input) != graph.shape(node.output))
        return {};
    for (ValueId input : node.inputs)
      if (const auto at = open.find(input); at != open.end() && --at->second == 0) open.erase(at);
    nodes.push_back(id);
    if (open.empty()) return nodes;
    add(node.output);
  }
  return {};
}

void FuseOn(const Target& target, const Graph& graph, Graph& fused) {
  const std::vector<int64_t> uses = graph.UseCounts();
  int64_t next = 0;
  for (const Node& node : fused.nodes()) next = std::max(next, node.group + 1);
  std::map<NodeId, std::vector<NodeId>> ending;  // steps of the target by their last node
  const Readers readers = ReadersOf(graph);
  std::vector<bool> joined(graph.nodes().size());
  std::map<NodeId, NodeId> last_of;  // of each node's step
  const auto place = [&](const std::vector<NodeId>& step) {
    int64_t group = kNone;  // that of a step before it, if it had one
    for (const NodeId member : step) group = std::max(group, fused.nodes()[member].group);
    if (group == kNone) group = next++;
    for (NodeId member : step) fused.Place(member, target.Name(), group, graph.nodes()[member].why);
  };
  // A step that makes what another one alone reads joins that one where the target takes both.
  const auto join = [&](std::vector<NodeId>& step, const std::vector<NodeId>& maker) {
    const ValueId value = graph.nodes()[maker.back()].output;
    const auto reads = [&](NodeId id) { return std::ranges::find(step, id) != step.end(); };
    if (uses[value] != std::ssize(readers[value]) || !std::ranges::all_of(readers[value], reads))
      return false;
    std::vector<NodeId> together = step;
    together.insert(together.end(), maker.begin(), maker.end());
    std::ranges::sort(together);
    if (together.size() > kMostNodes || !target.CanTake(graph, together)) return false;
    step = std::move(together);
    return true;
  };
  const auto join_makers = [&](std::vector<NodeId>& step, NodeId reader) {
    for (const ValueId input : graph.nodes()[reader].inputs)
      if (const auto maker = ending.find(graph.value(input).producer);
          maker != ending.end() && join(step, maker->second))
        ending.erase(maker);
  };
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    const Node& node = graph.nodes()[id];
    if (node.target != target.Name() || joined[id]) continue;
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
      // The others come along where the target moves what each of them takes.
      join_makers(step, id);
      place(step);
    }
    while (uses[graph.nodes()[step.back()].output] > 1) {
      std::vector<NodeId> together = step;
      const std::vector<NodeId> between =
          NodesBetween(target, graph, uses, readers, joined, step.back());
      together.insert(together.end(), between.begin(), between.end());
      if (between.empty() || together.size() > kMostNodes || !target.CanTake(graph, together))
        break;
      step = std::move(together);
      for (NodeId member : between) {
        joined[member] = true;
        join_makers(step, member);
      }
      place(step);
    }
    const std::vector<NodeId>& next_readers = readers[graph.nodes()[step.back()].output];
    if (!next_readers.empty() && joined[next_readers[0]]) {
      const auto reader = ending.find(last_of.at(next_readers[0]));
      if (reader != ending.end() && join(reader->second, step)) {
        place(reader->second);
        for (const NodeId member : step) last_of[member] = reader->first;
        continue;
      }
    }
    const NodeId last = step.back();
    for (const NodeId member : step) last_of[member] = last;
    ending[last] = std::move(step);
  }
}

}  // namespace

Graph FuseRest(const Graph& graph, const PassContext& context) {
  Graph fused = graph;
  for (const Target* target : context.Takers()) FuseOn(*target, graph, fused);
  return fused;
}

}  // namespace vta::compiler
