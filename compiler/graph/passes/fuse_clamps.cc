// requant_i8 that only clamps -> the range of the integer op before it.
#include <algorithm>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"
#include "compiler/quantize/multiplier.h"

namespace vta::compiler {
namespace {

bool OnlyClamps(const Node& node) {
  const FixedPoint one = ToFixedPoint(1.0);
  return node.op == Op::kRequantI8 && node.Int("bias") == -node.Int("zero_point") &&
         node.Int("multiplier") == one.multiplier && node.Int("exponent") == one.exponent;
}

}  // namespace

Graph FuseClamps(const Graph& graph, const PassContext&) {
  Rebuild rebuild(graph);
  Graph& fresh = rebuild.fresh();
  const std::vector<int64_t> uses = graph.UseCounts();
  for (const Node& node : graph.nodes()) {
    const ValueId input = rebuild.Map(node.inputs[0]);
    const Node* producer = fresh.Producer(input);
    if (!OnlyClamps(node)) {
      rebuild.Copy(node);
    } else if (node.Int("low") == -128 && node.Int("high") == 127) {
      rebuild.Replace(node, input);
    } else if (producer && producer->attributes.Has("low") && producer->op != Op::kClip &&
               uses[node.inputs[0]] == 1) {
      const Node clamped = *producer;
      const int64_t low = node.Int("low"), high = node.Int("high");
      Attributes attributes = clamped.attributes;
      attributes.Set("low", std::clamp(clamped.Int("low"), low, high));
      attributes.Set("high", std::clamp(clamped.Int("high"), low, high));
      rebuild.Replace(node, fresh.Emit(clamped.op, clamped.name, clamped.inputs, attributes));
    } else {
      rebuild.Copy(node);
    }
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
