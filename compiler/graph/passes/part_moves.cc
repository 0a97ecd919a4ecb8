// Codes that leave an accelerator's blocks, are moved, and of which several slices then take parts:
// each slice moves its own, so that nothing is written in between. What such a slice takes is
// there: what is moved on from it begins there.
#include <algorithm>
#include <vector>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

bool Moves(const Node& node) {
  return (MovesData(node.op) && node.op != Op::kExpand) || node.op == Op::kUnpack;
}

class Parter {
 public:
  explicit Parter(const Graph& graph)
      : graph_(graph), readers_(graph.values().size()), behind_(graph.values().size()) {
    for (NodeId id = 0; id < std::ssize(graph.nodes()); ++id)
      for (const ValueId input : graph.nodes()[id].inputs) readers_[input].push_back(id);
    for (const GraphOutput& output : graph.outputs()) readers_[output.value].push_back(kNone);
    for (const Node& node : graph.nodes()) behind_[node.output] = Find(node.output);
  }

  /// The nodes that make what is only moved on the way to slices of the value, in order; none where
  /// slices take more than there is, or where none of them leaves blocks.
  const std::vector<NodeId>& Behind(ValueId value) const { return behind_[value]; }
  NodeId FirstReader(ValueId value) const { return readers_[value].front(); }

 private:
  /// Of a value behind those of which it is known.
  std::vector<NodeId> Find(ValueId value) const {
    const std::vector<NodeId>& slices = readers_[value];
    int64_t taken = 0;
    for (const NodeId slice : slices) {
      if (slice == kNone || graph_.nodes()[slice].op != Op::kSlice) return {};
      taken += Elements(graph_.shape(graph_.nodes()[slice].output));
    }
    if (slices.size() < 2 || taken > Elements(graph_.shape(value))) return {};
    std::vector<NodeId> nodes;
    if (Goes(value)) Add(value, &nodes);
    std::ranges::sort(nodes);
    const bool leaves =
        std::ranges::any_of(nodes, [&](NodeId id) { return graph_.nodes()[id].op == Op::kUnpack; });
    return leaves ? nodes : std::vector<NodeId>();
  }

  /// Whether the value is moved again with what is made of it: no slice that takes its own.
  bool Goes(ValueId value) const {
    const Node* const maker = graph_.Producer(value);
    if (!maker || !Moves(*maker) || graph_.type(value).dtype != DType::kInt8) return false;
    return maker->op != Op::kSlice || behind_[maker->inputs[0]].empty();
  }

  /// One kernel takes one of several inputs with what makes it, the last that it can: others are
  /// moved once.
  void Add(ValueId value, std::vector<NodeId>* nodes) const {
    const NodeId maker = graph_.value(value).producer;
    nodes->push_back(maker);
    ValueId last = kNone;
    for (const ValueId input : graph_.nodes()[maker].inputs)
      if (readers_[input].size() == 1 && Goes(input) &&
          (last == kNone || graph_.value(input).producer > graph_.value(last).producer))
        last = input;
    if (last != kNone) Add(last, nodes);
  }

  const Graph& graph_;
  std::vector<std::vector<NodeId>> readers_;  // of each value; kNone of an output
  std::vector<std::vector<NodeId>> behind_;   // of each value
};

}  // namespace

Graph PartMoves(const Graph& graph, const PassContext&) {
  const Parter parter(graph);
  Rebuild rebuild(graph);
  for (NodeId id = 0; id < std::ssize(graph.nodes()); ++id) {
    const Node& node = graph.nodes()[id];
    if (node.op == Op::kSlice && parter.FirstReader(node.inputs[0]) != id)
      for (const NodeId again : parter.Behind(node.inputs[0])) rebuild.Copy(graph.nodes()[again]);
    rebuild.Copy(node);
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
