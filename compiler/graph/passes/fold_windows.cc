// Folding windows: a layer of few channels leaves most of a target's block idle. Where its
// input is packed anyway, that may put taps of the window side by side as channels; the target says
// how many.
#include <algorithm>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"
#include "compiler/graph/window_fold.h"

namespace vta::compiler {
namespace {

/// Whether no target makes the value, nor could hand it on packed.
bool IsMadeByRest(const Graph& graph, ValueId value) {
  const Node* producer = graph.Producer(value);
  while (producer && (producer->op == Op::kPad || producer->op == Op::kReshape ||
                      producer->op == Op::kIdentity))
    producer = graph.Producer(producer->inputs[0]);
  return !producer || producer->op < Op::kConv2dI8 ||
         (producer->op > Op::kRequantI8 && producer->op != Op::kPreluI8);
}

bool MayFold(const Graph& graph, const Node& node) {
  return node.op == Op::kConv2dI8 && node.Int("groups") == 1 &&
         graph.shape(node.inputs[0]).size() == 4 && IsMadeByRest(graph, node.inputs[0]) &&
         std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                     [&](ValueId input) { return graph.constant(input); });
}

FoldChoice ChooseFold(const Graph& graph, const Node& conv, const PassContext& context) {
  for (const Target* target : context.targets) {
    if (!context.Allows(conv, *target)) continue;
    FoldChoice choice = target->ChooseFold(graph, conv);
    if (choice.fold == WindowFold{}) continue;
    const Graph alone = FoldedAlone(graph, conv, choice.fold);
    const NodeId last = static_cast<NodeId>(alone.nodes().size()) - 1;
    if (target->CanTake(alone, {&last, 1})) return choice;
  }
  return {};
}

}  // namespace

Graph FoldWindows(const Graph& graph, const PassContext& context) {
  Rebuild rebuild(graph);
  for (const Node& node : graph.nodes()) {
    const FoldChoice choice =
        MayFold(graph, node) ? ChooseFold(graph, node, context) : FoldChoice{};
    if (choice.fold == WindowFold{}) {
      rebuild.Copy(node);
      continue;
    }
    Graph& fresh = rebuild.fresh();
    const ValueId folded = EmitFolded(graph, node, choice.fold, rebuild.MapInputs(node),
                                      graph.value(node.output).name, &fresh);
    const NodeId im2col = fresh.value(fresh.Producer(folded)->inputs[0]).producer;
    fresh.Place(im2col, kUnplaced, kNone, choice.why);
    rebuild.Replace(node, folded);
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
