// x * (1 + erf(x / sqrt(2))) / 2, as networks write it -> gelu(x).
#include <cmath>
#include <numbers>
#include <optional>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/number_of.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

constexpr int kDeepest = 3;  // products in each other

bool IsNear(double number, double wanted) { return std::abs(number - wanted) <= 1e-6 * wanted; }

/// The x of 1 + erf(x / sqrt(2)), or kNone.
ValueId ArgumentOfGate(const Graph& graph, const Node& add) {
  if (add.op != Op::kAdd) return kNone;
  for (const size_t one : {0, 1}) {
    const Node* erf = graph.Producer(add.inputs[1 - one]);
    if (!erf || erf->op != Op::kErf || NumberOf(graph, add.inputs[one]) != 1) continue;
    const Node* scaled = graph.Producer(erf->inputs[0]);
    if (!scaled || (scaled->op != Op::kMul && scaled->op != Op::kDiv)) return kNone;
    for (const size_t by : {1, 0}) {
      if (scaled->op == Op::kDiv && by == 0) break;
      const std::optional<double> number = NumberOf(graph, scaled->inputs[by]);
      if (number && IsNear(scaled->op == Op::kDiv ? 1 / *number : *number, std::numbers::sqrt2 / 2))
        return scaled->inputs[1 - by];
    }
  }
  return kNone;
}

/// The first gate among the factors of a product, as its x.
ValueId FindArgument(const Graph& graph, const Node& product, int depth) {
  for (const ValueId factor : product.inputs) {
    const Node* producer = graph.Producer(factor);
    if (!producer) continue;
    ValueId x = ArgumentOfGate(graph, *producer);
    if (x == kNone && producer->op == Op::kMul && depth < kDeepest)
      x = FindArgument(graph, *producer, depth + 1);
    if (x != kNone) return x;
  }
  return kNone;
}

/// What the factors of a product are, if nothing but x, its gate and numbers.
struct Factors {
  int x = 0, gates = 0;
  double number = 1;
  bool others = false;
};
void Count(const Graph& graph, const Node& product, ValueId x, int depth, Factors& factors) {
  for (const ValueId factor : product.inputs) {
    const Node* producer = graph.Producer(factor);
    if (factor == x)
      ++factors.x;
    else if (const std::optional<double> number = NumberOf(graph, factor))
      factors.number *= *number;
    else if (producer && ArgumentOfGate(graph, *producer) == x)
      ++factors.gates;
    else if (producer && producer->op == Op::kMul && depth < kDeepest)
      Count(graph, *producer, x, depth + 1, factors);
    else
      factors.others = true;
  }
}

}  // namespace

Graph JoinGelu(const Graph& graph, const PassContext&) {
  Rebuild rebuild(graph);
  for (const Node& node : graph.nodes()) {
    const ValueId x = node.op == Op::kMul ? FindArgument(graph, node, 1) : kNone;
    Factors factors;
    if (x != kNone) Count(graph, node, x, 1, factors);
    if (factors.x == 1 && factors.gates == 1 && !factors.others && IsNear(factors.number, 0.5) &&
        graph.type(x) == graph.type(node.output))
      rebuild.Replace(node, rebuild.fresh().Emit(Op::kGelu, node.name, {rebuild.Map(x)}, {}));
    else
      rebuild.Copy(node);
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
