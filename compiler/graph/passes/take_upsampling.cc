// Nearest upsampling: gathers that repeat each row, each column or both as often, of codes that a
// target makes, as one op in its blocks.
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

/// How often the gather repeats what lies along rows or columns, at most kMostUpsampling times; 0
/// where it does something else.
int64_t RepeatsOf(const Graph& graph, const Node& node) {
  if (node.op != Op::kGather || graph.type(node.output).dtype != DType::kInt8 ||
      graph.shape(node.output).size() != 4 || node.Int("axis") < 2)
    return 0;
  const Tensor* const indices = graph.constant(node.inputs[1]);
  const int64_t size = graph.shape(node.inputs[0])[static_cast<size_t>(node.Int("axis"))];
  if (!indices || indices->shape().size() != 1 || size == 0 || indices->elements() % size != 0)
    return 0;
  const int64_t times = indices->elements() / size;
  if (times > kMostUpsampling) return 0;
  for (int64_t i = 0; i < indices->elements(); ++i)
    if (static_cast<int64_t>(indices->At(i)) != i / times) return 0;
  return times;
}

}  // namespace

Graph TakeUpsampling(const Graph& graph, const PassContext& context) {
  Rebuild rebuild(graph);
  Graph& fresh = rebuild.fresh();
  const std::vector<int64_t> uses = graph.UseCounts();
  for (const Node& node : graph.nodes()) {
    Shape scales{1, 1};
    ValueId from = node.output;
    for (const Node* last = &node; last; last = graph.Producer(from)) {
      const int64_t times = RepeatsOf(graph, *last);
      if (times == 0 || (last != &node && uses[last->output] != 1)) break;
      int64_t& scale = scales[static_cast<size_t>(last->Int("axis")) - 2];
      if (scale * times > kMostUpsampling) break;
      scale *= times;
      from = last->inputs[0];
    }
    const ValueId x = scales == Shape{1, 1} ? kNone : rebuild.Map(from);
    ValueId made = kNone;
    if (x != kNone && fresh.Producer(x) && IsTaken(fresh, x, context))
      made = fresh.Emit(Op::kUpsampleI8, node.name, {x}, {{"scales", scales}});
    if (made != kNone && IsTaken(fresh, made, context))
      rebuild.Replace(node, made);
    else
      rebuild.Copy(node);
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
