// Fusion: which integer ops one accelerator kernel computes together. A group is one op, or
// conv2d_i8 and the add_i8, depth_to_space or max_pool_i8 that takes its result. That result has no
// other reader, so no path leaves the group and comes back: groups stay free of cycles (the
// verifier checks it again on the graph of groups).
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

/// The convolution that an add can be fused with, of those among its operands that nobody else
/// reads: the one with the most work, which hides the other operand's loads; the last of equals.
NodeId FusedConvolution(const Graph& graph, const Node& add, const std::vector<int64_t>& uses,
                        const PassContext& context) {
  NodeId best = kNone;
  int64_t most = 0;
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

/// The convolution whose results a node moves or picks, where nobody else reads them.
NodeId ReadConvolution(const Graph& graph, const Node& node, const std::vector<int64_t>& uses,
                       const PassContext& context) {
  const NodeId producer = graph.value(node.inputs[0]).producer;
  const bool alone = producer != kNone && graph.nodes()[producer].op == Op::kConv2dI8 &&
                     uses[node.inputs[0]] == 1 && !Apart(node, graph.nodes()[producer], context);
  return alone ? producer : kNone;
}

}  // namespace

NodeId GroupedConvolution(const Graph& graph, const Node& node, const std::vector<int64_t>& uses,
                          const PassContext& context) {
  if (node.op == Op::kAddI8) return FusedConvolution(graph, node, uses, context);
  if (node.op == Op::kDepthToSpace || node.op == Op::kMaxPoolI8)
    return ReadConvolution(graph, node, uses, context);
  return kNone;
}

Graph FormGroups(const Graph& graph, const PassContext& context) {
  Graph grouped = graph;
  const std::vector<int64_t> uses = graph.UseCounts();
  const std::vector<std::string> reasons = RestReasons(graph);
  int64_t groups = 0;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    const Node& node = graph.nodes()[id];
    const NodeId conv = GroupedConvolution(graph, node, uses, context);
    const bool joins = conv != kNone && reasons[conv].empty();
    if (!reasons[id].empty() && !(joins && node.op == Op::kDepthToSpace)) {
      if (node.why.empty()) grouped.Place(id, kUnplaced, kNone, reasons[id]);
      continue;
    }
    grouped.Place(id, kUnplaced, conv == kNone ? groups++ : grouped.nodes()[conv].group);
  }
  return grouped;
}

}  // namespace vta::compiler
