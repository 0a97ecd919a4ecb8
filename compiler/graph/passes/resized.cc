// Along each axis in turn, an element is the sum of two elements, gathered at places that are known
// at compile time, times weights.
#include "compiler/graph/passes/resized.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/graph/ops.h"
#include "compiler/graph/ops/linear_taps.h"

namespace vta::compiler {
namespace {

/// A number times elements of `of` along an axis, each times a weight.
struct GatheredTerm {
  ValueId of = kNone;
  int64_t axis = 0;
  const Tensor *places = nullptr, *weights = nullptr;
  double factor = 1;

  bool IsBeside(const GatheredTerm& other) const {
    return of == other.of && axis == other.axis && places->elements() == other.places->elements();
  }
};

/// The constant operand of a product that is one number, or one for each place along an axis.
const Tensor* FactorOf(const Graph& graph, const Node& product, size_t* operand) {
  if (product.op != Op::kMul) return nullptr;
  *operand = graph.constant(product.inputs[0]) ? 0 : 1;
  return graph.constant(product.inputs[*operand]);
}

class ResizedReader {
 public:
  ResizedReader(const Graph& graph, const std::vector<int64_t>& uses)
      : graph_(graph), uses_(uses) {}

  std::optional<ResizedPlanes> Read(ValueId real) const {
    ResizedPlanes planes{.of = real};
    bool may_be_half = true, may_be_whole = true;
    int64_t reads = 1;
    while (uses_[planes.of] == reads) {
      const Node* const node = graph_.Producer(planes.of);
      size_t operand = 0;
      if (!node) break;
      if (const Tensor* const factor = FactorOf(graph_, *node, &operand);
          factor && factor->elements() == 1 && factor->At(0) > 0 && reads == 1) {
        planes.factor *= factor->At(0);
        planes.of = node->inputs[1 - operand];
        continue;
      }
      if (node->op != Op::kAdd) break;
      const auto first = TermOf(node->inputs[0]), second = TermOf(node->inputs[1]);
      if (!first || !second || !first->IsBeside(*second)) break;
      int64_t& scale = planes.scales[static_cast<size_t>(first->axis) - 2];
      const int64_t size = graph_.shape(first->of)[static_cast<size_t>(first->axis)];
      const int64_t times = first->places->elements() / size;
      const double sum = WeightOf(*first, 0) + WeightOf(*second, 0);
      if (scale != 1 || times < 2 || times > kMostUpsampling || sum <= 0) break;
      const auto is = [&](bool half_pixel) {
        return IsLinear({times, half_pixel}, size, *first, *second, sum);
      };
      const bool half = may_be_half && is(true), whole = may_be_whole && is(false);
      if (!half && !whole) break;
      may_be_half = half, may_be_whole = whole;
      scale = times;
      planes.factor *= sum;
      planes.of = first->of;
      reads = 2;
    }
    planes.half_pixel = may_be_half;
    if (planes.scales == Shape{1, 1}) return std::nullopt;
    return planes;
  }

 private:
  std::optional<GatheredTerm> TermOf(ValueId value) const {
    constexpr size_t kPlanes = 4;
    GatheredTerm term{.of = value};
    while (uses_[term.of] == 1) {
      const Node* const node = graph_.Producer(term.of);
      if (!node) break;
      if (node->op == Op::kGather) {
        term.axis = node->Int("axis");
        term.places = graph_.constant(node->inputs[1]);
        term.of = node->inputs[0];
        const bool along =
            graph_.shape(term.of).size() == kPlanes && term.axis >= 2 && term.places &&
            term.places->shape().size() == 1 && term.weights &&
            term.weights->shape().size() == kPlanes &&
            term.weights->shape()[static_cast<size_t>(term.axis)] == term.places->elements() &&
            term.weights->elements() == term.places->elements();
        const int64_t size = graph_.shape(term.of)[static_cast<size_t>(term.axis)];
        if (!along || term.places->elements() % size != 0) return std::nullopt;
        return term;
      }
      size_t operand = 0;
      const Tensor* const factor = FactorOf(graph_, *node, &operand);
      if (!factor || (factor->elements() != 1 && term.weights)) break;
      if (factor->elements() == 1)
        term.factor *= factor->At(0);
      else
        term.weights = factor;
      term.of = node->inputs[1 - operand];
    }
    return std::nullopt;
  }

  static double WeightOf(const GatheredTerm& term, int64_t place) {
    return term.weights->At(place) * term.factor;
  }

  static bool IsLinear(const ops::LinearTaps& taps, int64_t size, const GatheredTerm& first,
                       const GatheredTerm& second, double sum) {
    constexpr double kNoise = 1e-4;  // places are float32
    for (int64_t at = 0; at < taps.scale * size; ++at) {
      std::map<int64_t, double> rest;
      for (const GatheredTerm* const term : {&first, &second})
        rest[static_cast<int64_t>(term->places->At(at))] += WeightOf(*term, at) / sum;
      const int64_t phase = at % taps.scale, begin = at / taps.scale + taps.First(phase);
      for (int64_t tap = 0; tap < taps.taps(); ++tap)
        rest[std::clamp<int64_t>(begin + tap, 0, size - 1)] -=
            static_cast<double>(taps.Weight(phase, tap)) / static_cast<double>(taps.denominator());
      for (const auto& [place, weight] : rest)
        if (std::abs(weight) > kNoise) return false;
    }
    return true;
  }

  const Graph& graph_;
  const std::vector<int64_t>& uses_;
};

}  // namespace

std::optional<ResizedPlanes> AsResized(const Graph& graph, ValueId real,
                                       const std::vector<int64_t>& uses) {
  return ResizedReader(graph, uses).Read(real);
}

}  // namespace vta::compiler
