// Fusion: which integer ops one accelerator kernel computes together. A group is one op, or
// conv2d_i8 and the add_i8, depth_to_space or max_pool_i8 that takes its result; and the lookup_i8
// or prelu_i8 that takes the group's. That result has no other reader, so no path leaves the group
// and comes back: groups stay free of cycles (the verifier checks it again on the graph of groups).
#include <algorithm>
#include <map>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/passes/rest_reason.h"

namespace vta::compiler {
namespace {

/// Whether no target may have both, since they are asked for apart.
bool Apart(const Node& a, const Node& b, const PassContext& context) {
  return !context.places.empty() &&
         std::ranges::none_of(context.targets, [&](const Target* target) {
           return context.Allows(a, *target) && context.Allows(b, *target);
         });
}

/// The convolution that an add of two tensors of one shape can be fused with, of those among its
/// operands that nobody else reads: the one with the most work, which hides the other operand's
/// loads; the last of equals.
NodeId FusedConvolution(const Graph& graph, const Node& add, const std::vector<int64_t>& uses,
                        const PassContext& context) {
  NodeId best = kNone;
  int64_t most = 0;
  if (graph.shape(add.inputs[0]) != graph.shape(add.inputs[1])) return best;
  for (ValueId input : add.inputs) {
    const NodeId producer = graph.value(input).producer;
    if (producer == kNone || graph.nodes()[producer].op != Op::kConv2dI8 || uses[input] != 1 ||
        Apart(add, graph.nodes()[producer], context))
      continue;
    const int64_t work = Elements(graph.shape(graph.nodes()[producer].inputs[1]));
    if (std::pair(work, producer) > std::pair(most, best)) best = producer, most = work;
  }
  return best;
}

/// What makes a node's first input, where nobody else reads that.
NodeId OnlyProducer(const Graph& graph, const Node& node, const std::vector<int64_t>& uses,
                    const PassContext& context) {
  const NodeId producer = graph.value(node.inputs[0]).producer;
  const bool alone = producer != kNone && uses[node.inputs[0]] == 1 &&
                     !Apart(node, graph.nodes()[producer], context);
  return alone ? producer : kNone;
}

/// Whether it makes codes, of which a function may be its last act.
bool MakesCodes(Op op) {
  switch (op) {
    case Op::kConv2dI8:
    case Op::kDenseI8:
    case Op::kMatMulI8:
    case Op::kAddI8:
    case Op::kMulI8:
    case Op::kAvgPoolI8:
    case Op::kRequantI8:
    case Op::kDepthToSpace:
      return true;
    default:
      return false;
  }
}

}  // namespace

NodeId GroupedConvolution(const Graph& graph, const Node& node, const std::vector<int64_t>& uses,
                          const PassContext& context) {
  if (node.op == Op::kAddI8) return FusedConvolution(graph, node, uses, context);
  if (node.op != Op::kDepthToSpace && node.op != Op::kMaxPoolI8) return kNone;
  const NodeId producer = OnlyProducer(graph, node, uses, context);
  return producer != kNone && graph.nodes()[producer].op == Op::kConv2dI8 ? producer : kNone;
}

namespace {

/// The node whose group makes the codes that a lookup or prelu_i8 takes, or kNone.
NodeId MakerOfCodes(const Graph& grouped, const Node& function, const std::vector<int64_t>& uses,
                    const PassContext& context) {
  const NodeId maker = OnlyProducer(grouped, function, uses, context);
  const bool joins = maker != kNone && MakesCodes(grouped.nodes()[maker].op) &&
                     grouped.nodes()[maker].group != kNone;
  return joins ? maker : kNone;
}

}  // namespace

Graph FormGroups(const Graph& graph, const PassContext& context) {
  Graph grouped = graph;
  const std::vector<int64_t> uses = graph.UseCounts();
  const std::vector<std::string> reasons = RestReasons(graph);
  int64_t groups = 0;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    const Node& node = graph.nodes()[id];
    NodeId first = GroupedConvolution(graph, node, uses, context);
    if (node.op == Op::kLookupI8 || node.op == Op::kPreluI8)
      first = MakerOfCodes(grouped, node, uses, context);
    const bool joins = first != kNone && reasons[first].empty();
    if (!reasons[id].empty() && !(joins && node.op == Op::kDepthToSpace)) {
      if (node.why.empty()) grouped.Place(id, kUnplaced, kNone, reasons[id]);
      continue;
    }
    grouped.Place(id, kUnplaced, first == kNone ? groups++ : grouped.nodes()[first].group);
  }
  return grouped;
}

}  // namespace vta::compiler
