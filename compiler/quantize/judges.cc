#include "compiler/quantize/judges.h"

#include <algorithm>

#include "compiler/graph/ops.h"

namespace vta::compiler::quantize {
namespace {

constexpr int64_t kMany = 4096;

/// Many shares that add up to 1 everywhere: what softmax makes little of is not in them. Of other
/// functions, such as a sigmoid of what is nowhere, most may be next to nothing.
bool HasManyShares(const Graph& graph, ValueId value) {
  if (Elements(graph.shape(value)) < kMany) return false;
  const Node* node = graph.Producer(value);
  while (node && (node->op == Op::kReshape || node->op == Op::kTranspose))
    node = graph.Producer(node->inputs[0]);
  return node && node->op == Op::kSoftmax;
}

/// Of each output the first points of at least so many values that one comes to, going back; or the
/// output, where it has many shares.
std::vector<Judge> LastPoints(const Graph& graph, const Plan& plan, int64_t least) {
  std::vector<Judge> judges;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    if (HasManyShares(graph, graph.outputs()[i].value)) {
      judges.push_back({kNone, i});
      continue;
    }
    std::vector<bool> seen(graph.values().size());
    std::vector<ValueId> open = {graph.outputs()[i].value};
    bool found = false;
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      const Node* node = graph.Producer(value);
      if (seen[value] || !node) continue;
      seen[value] = true;
      if (const int64_t point = plan.point_of[value];
          point != kNone && Elements(graph.shape(value)) >= least) {
        found = true;
        if (const Judge judge{point, 0}; std::ranges::find(judges, judge) == judges.end())
          judges.push_back(judge);
        continue;
      }
      open.insert(open.end(), node->inputs.begin(), node->inputs.end());
    }
    if (!found) judges.push_back({kNone, i});
  }
  return judges;
}

}  // namespace

Judges JudgesOf(const Graph& graph, const Plan& plan) {
  Judges judges{LastPoints(graph, plan, kMany)};
  judges.large = judges.all.size();
  for (const Judge& head : LastPoints(graph, plan, 1))
    if (std::ranges::find(judges.all, head) == judges.all.end()) judges.all.push_back(head);
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const ValueId value = graph.outputs()[i].value;
    const Judge judge{kNone, i};
    if (Elements(graph.shape(value)) >= kMany && plan.point_of[value] == kNone &&
        std::ranges::find(judges.all, judge) == judges.all.end())
      judges.outputs.push_back(judge);
  }
  return judges;
}

ValueId RealValue(const Graph& real, const Plan& plan, const Judge& judge) {
  return judge.point == kNone ? real.outputs()[judge.output].value : plan.points[judge.point].value;
}

ValueId QuantisedValue(const Inserted& quantised, const Judge& judge) {
  return judge.point == kNone ? quantised.graph.outputs()[judge.output].value
                              : ValueNamed(quantised.graph, quantised.pairs[judge.point].quantised);
}

}  // namespace vta::compiler::quantize
