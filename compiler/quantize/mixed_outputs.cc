#include "compiler/quantize/mixed_outputs.h"

#include <algorithm>

#include "compiler/graph/ops.h"
#include "compiler/quantize/range.h"

namespace vta::compiler::quantize {
namespace {

/// By value: whether only outputs read it, through moves and concatenations.
std::vector<bool> ReadByOutputs(const Graph& graph, const Plan& plan) {
  std::vector<bool> only;
  for (const int64_t uses : graph.UseCounts()) only.push_back(uses > 0);
  for (NodeId n = std::ssize(graph.nodes()) - 1; n >= 0; --n) {
    const Node& node = graph.nodes()[n];
    const bool passes = plan.is_move[n] || node.op == Op::kConcat;
    if (passes && only[node.output]) continue;
    for (const ValueId input : node.inputs) only[input] = false;
  }
  return only;
}

}  // namespace

std::set<std::string> MixedOutputs(const Graph& graph, const Plan& plan,
                                   const std::vector<Observation>& observed) {
  constexpr double kApart = 4;
  const std::vector<bool> only = ReadByOutputs(graph, plan);
  std::vector<Range> widths(graph.values().size());  // least and greatest width of the parts
  const auto width_of = [&](ValueId value) -> Range {
    const Node* producer = graph.Producer(value);
    while (producer && plan.is_move[producer - graph.nodes().data()]) {
      value = producer->inputs[0];
      producer = graph.Producer(value);
    }
    if (producer && producer->op == Op::kConcat && widths[value].high > 0) return widths[value];
    const int64_t point = PointOf(graph, plan, value);
    if (point == kNone) return {};
    const Histogram& values = observed[point].values;
    const double width = std::max(values.max(), 0.0) - std::min(values.min(), 0.0);
    return {width, width};
  };
  std::set<std::string> mixed;
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node& node = graph.nodes()[n];
    if (node.op != Op::kConcat || !only[node.output]) continue;
    Range& whole = widths[node.output];
    for (const ValueId input : node.inputs) {
      const Range part = width_of(input);
      if (part.high == 0) continue;
      whole.low = whole.high == 0 ? part.low : std::min(whole.low, part.low);
      whole.high = std::max(whole.high, part.high);
    }
    if (plan.is_quantised[n] && whole.high >= kApart * whole.low)
      mixed.insert(graph.value(node.output).name);
  }
  return mixed;
}

}  // namespace vta::compiler::quantize
