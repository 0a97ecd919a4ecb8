// (x - m) / sqrt(v + epsilon), m the mean of a line and v that of (x - m)^2, as networks write it,
// by a power, a quotient or products -> normalize(x); x / sqrt(mean(x^2) + epsilon) too.
#include <optional>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/number_of.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

const Node* MadeBy(const Graph& graph, ValueId value, Op op) {
  const Node* const node = graph.Producer(value);
  return node && node->op == op ? node : nullptr;
}

/// What makes a mean along one axis, which stays.
const Node* MeanOf(const Graph& graph, ValueId value) {
  const Node* const mean = MadeBy(graph, value, Op::kReduceMean);
  return mean && mean->Int("keepdims") != 0 && mean->Ints("axes").size() == 1 ? mean : nullptr;
}

bool IsSquareOf(const Graph& graph, ValueId square, ValueId x) {
  if (const Node* const power = MadeBy(graph, square, Op::kPow))
    return power->inputs[0] == x && NumberOf(graph, power->inputs[1]) == 2;
  const Node* const product = MadeBy(graph, square, Op::kMul);
  return product && product->inputs[0] == x && product->inputs[1] == x;
}

struct Norm {
  ValueId x;
  int64_t axis;
  bool is_centred;
  double epsilon;
};

/// Whether `root` is sqrt(mean(distance^2) + epsilon), of lines of what.
std::optional<Norm> NormBy(const Graph& graph, ValueId distance, ValueId root) {
  const Node* const sqrt = MadeBy(graph, root, Op::kSqrt);
  const Node* const sum = sqrt ? MadeBy(graph, sqrt->inputs[0], Op::kAdd) : nullptr;
  if (!sum) return std::nullopt;
  for (const size_t side : {0, 1}) {
    const Node* const variance = MeanOf(graph, sum->inputs[side]);
    const std::optional<double> epsilon = NumberOf(graph, sum->inputs[1 - side]);
    if (!variance || !epsilon || !(*epsilon > 0) ||
        !IsSquareOf(graph, variance->inputs[0], distance))
      continue;
    const int64_t axis = variance->Ints("axes")[0];
    const Node* const difference = MadeBy(graph, distance, Op::kSub);
    const Node* const mean = difference ? MeanOf(graph, difference->inputs[1]) : nullptr;
    if (mean && mean->inputs[0] == difference->inputs[0] && mean->Ints("axes")[0] == axis)
      return Norm{difference->inputs[0], axis, true, *epsilon};
    return Norm{distance, axis, false, *epsilon};
  }
  return std::nullopt;
}

std::optional<Norm> FindNorm(const Graph& graph, const Node& node) {
  if (node.op == Op::kDiv) return NormBy(graph, node.inputs[0], node.inputs[1]);
  if (node.op != Op::kMul) return std::nullopt;
  for (const size_t side : {0, 1}) {
    const Node* const inverse = MadeBy(graph, node.inputs[side], Op::kDiv);
    if (!inverse || NumberOf(graph, inverse->inputs[0]) != 1) continue;
    if (const auto norm = NormBy(graph, node.inputs[1 - side], inverse->inputs[1])) return norm;
  }
  return std::nullopt;
}

}  // namespace

Graph JoinNorms(const Graph& graph, const PassContext&) {
  Rebuild rebuild(graph);
  for (const Node& node : graph.nodes()) {
    const std::optional<Norm> norm = FindNorm(graph, node);
    if (norm && graph.type(norm->x) == graph.type(node.output))
      rebuild.Replace(node, rebuild.fresh().Emit(Op::kNormalize, node.name, {rebuild.Map(norm->x)},
                                                 {{"axis", norm->axis},
                                                  {"centred", int64_t{norm->is_centred}},
                                                  {"epsilon", norm->epsilon}}));
    else
      rebuild.Copy(node);
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
