// Codes that leave an accelerator's blocks, are moved, and of which several slices then take parts:
// each slice moves its own, so that nothing is written in between.
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
  explicit Parter(const Graph& graph) : graph_(graph), readers_(graph.values().size()) {
    for (NodeId id = 0; id < std::ssize(graph.nodes()); ++id)
      for (const ValueId input : graph.nodes()[id].inputs) readers_[input].push_back(id);
    for (const GraphOutput& output : graph.outputs()) readers_[output.value].push_back(kNone);
  }

  /// The nodes that make what is only moved on the way to slices of the value, in order; none where
  /// slices take more than there is, or where none of them leaves blocks.
  std::vector<NodeId> Behind(ValueId value) const {
    const std::vector<NodeId>& slices = readers_[value];
    int64_t taken = 0;
    for (const NodeId slice : slices) {
      if (slice == kNone || graph_.nodes()[slice].op != Op::kSlice) return {};
      taken += Elements(graph_.shape(graph_.nodes()[slice].output));
    }
    if (slices.size() < 2 || taken > Elements(graph_.shape(value))) return {};
    std::vector<NodeId> nodes;
    Add(value, &nodes);
    std::ranges::sort(nodes);
    const bool leaves =
        std::ranges::any_of(nodes, [&](NodeId id) { return graph_.nodes()[id].op == Op::kUnpack; });
    return leaves ? nodes : std::vector<NodeId>();
  }
  NodeId FirstReader(ValueId value) const { return readers_[value].front(); }

 private:
  void Add(ValueId value, std::vector<NodeId>* nodes) const {
    const NodeId maker = graph_.value(value).producer;
    if (maker == kNone || !Moves(graph_.nodes()[maker]) || graph_.type(value).dtype != DType::kInt8)
      return;
    nodes->push_back(maker);
    for (const ValueId input : graph_.nodes()[maker].inputs)
      if (readers_[input].size() == 1) Add(input, nodes);
  }

  const Graph& graph_;
  std::vector<std::vector<NodeId>> readers_;  // of each value; kNone of an output
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
