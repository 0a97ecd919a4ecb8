// Reductions over axes; softmax; the places of the greatest.
#include <functional>
#include <optional>

#include "compiler/operators/lowering.h"

namespace vta::compiler::operators {
namespace {

using Index = const std::vector<Expr>&;

/// The axes that a node reduces, and what an element of its output reads there.
struct Reduced {
  std::vector<te::ReduceAxis> over;
  int64_t count = 1;
  std::function<Expr(Index)> source;
};

Reduced ReadAxes(const Lowering& l) {
  const Shape shape = LoopShape(l.shape(0));
  std::vector<bool> reduced(shape.size());
  for (int64_t axis : l.Ints("axes")) reduced[axis] = true;
  Reduced out;
  for (size_t d = 0; d < shape.size(); ++d)
    if (reduced[d]) out.over.emplace_back(StrCat("r", d), shape[d]), out.count *= shape[d];
  const bool keep = l.Int("keepdims") != 0;
  out.source = [&l, reduced, keep, over = out.over](Index i) {
    std::vector<Expr> at;
    size_t next_out = 0, next_axis = 0;
    for (const bool gone : reduced) {
      at.push_back(gone ? over[next_axis++].expr() : i[next_out]);
      if (!gone || keep) ++next_out;
    }
    return l.x().At(at);
  };
  return out;
}

template <typename F>
te::Tensor Reduce(const Lowering& l, F fold) {
  const Reduced reduced = ReadAxes(l);
  if (reduced.over.empty()) return te::Compute("y", l.OutputAxes(), reduced.source);
  return te::Compute("y", l.OutputAxes(),
                     [&](Index i) { return fold(reduced.source(i), reduced.over); });
}

/// The index with another one along the axis.
std::vector<Expr> Along(Index i, int64_t axis, const Expr& at) {
  std::vector<Expr> out = i;
  out[axis] = at;
  return out;
}

/// The output's axes with one place along the axis.
std::vector<te::Axis> Lines(const Lowering& l, int64_t axis) {
  std::vector<te::Axis> lines = l.OutputAxes();
  lines[axis] = te::Axis(1);
  return lines;
}

}  // namespace

te::Tensor LowerReduceSum(const Lowering& l) { return Reduce(l, te::ReduceSum); }
te::Tensor LowerReduceMax(const Lowering& l) { return Reduce(l, te::ReduceMax); }
te::Tensor LowerReduceMin(const Lowering& l) { return Reduce(l, te::ReduceMin); }

te::Tensor LowerReduceMean(const Lowering& l) {
  const Reduced reduced = ReadAxes(l);
  if (reduced.over.empty()) return te::Compute("y", l.OutputAxes(), reduced.source);
  const te::Tensor sums = te::Compute("sums", l.OutputAxes(), [&](Index i) {
    return te::ReduceSum(reduced.source(i), reduced.over);
  });
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    return sums.At(i) / loop::FloatConst(static_cast<double>(reduced.count));
  });
}

te::Tensor LowerArgMax(const Lowering& l) {
  const int64_t axis = l.Int("axis"), count = l.shape(0)[axis];
  const bool last = l.Int("last") != 0;
  const te::ReduceAxis j("j", count), k("k", count);
  const te::Tensor most = te::Compute("most", l.OutputAxes(), [&](Index i) {
    return te::ReduceMax(l.x().At(Along(i, axis, j)), {j});
  });
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    const Expr found = Eq(l.x().At(Along(i, axis, k)), most.At(i));
    const Expr place = Select(found, k, Expr(last ? int64_t{0} : count - 1));
    return last ? te::ReduceMax(place, {k}) : te::ReduceMin(place, {k});
  });
}

/// The place of an element among all of its line, sorted, is how many go before it.
te::Tensor LowerTopK(const Lowering& l) {
  const int64_t axis = l.Int("axis"), count = l.shape(0)[axis];
  const te::ReduceAxis j("j", count), k("k", count);
  std::vector<te::Axis> elements = l.OutputAxes();
  elements[axis] = te::Axis(count);
  const auto one_if = [](const Expr& condition) { return Select(condition, Expr(1), Expr(0)); };
  const te::Tensor rank = te::Compute("rank", elements, [&](Index i) {
    const Expr own = l.x().At(i), other = l.x().At(Along(i, axis, j));
    return te::ReduceSum(one_if(own < other || (Eq(own, other) && j < i[axis])), {j});
  });
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    return te::ReduceSum(Select(Eq(rank.At(Along(i, axis, k)), i[axis]), k, Expr(0)), {k});
  });
}

te::Tensor LowerSoftmax(const Lowering& l) {
  const int64_t axis = l.Int("axis");
  const te::ReduceAxis j("j", l.output.shape[axis]), k("k", l.output.shape[axis]);
  const std::vector<te::Axis> lines = Lines(l, axis);
  const auto along = [&](Index i, const Expr& at) { return Along(i, axis, at); };
  const te::Tensor most = te::Compute(
      "most", lines, [&](Index i) { return te::ReduceMax(l.x().At(along(i, j)), {j}); });
  const te::Tensor powers = te::Compute("powers", l.OutputAxes(), [&](Index i) {
    return loop::Apply(loop::Op::kExp, {l.x().At(i) - most.At(along(i, 0))});
  });
  const te::Tensor sums = te::Compute(
      "sums", lines, [&](Index i) { return te::ReduceSum(powers.At(along(i, k)), {k}); });
  return te::Compute("y", l.OutputAxes(),
                     [&](Index i) { return powers.At(i) / sums.At(along(i, 0)); });
}

te::Tensor LowerNormalize(const Lowering& l) {
  const int64_t axis = l.Int("axis"), count = l.output.shape[axis];
  const bool is_centred = l.Int("centred") != 0;
  const te::ReduceAxis j("j", count), k("k", count);
  const std::vector<te::Axis> lines = Lines(l, axis);
  const auto along = [&](Index i, const Expr& at) { return Along(i, axis, at); };
  const Expr size = loop::FloatConst(static_cast<double>(count));
  std::optional<te::Tensor> sums;
  if (is_centred)
    sums = te::Compute("sums", lines,
                       [&](Index i) { return te::ReduceSum(l.x().At(along(i, j)), {j}); });
  const te::Tensor distances = te::Compute("distances", l.OutputAxes(), [&](Index i) {
    const Expr x = l.x().At(i);
    return is_centred ? x - sums->At(along(i, 0)) / size : x;
  });
  const te::Tensor squares = te::Compute("squares", lines, [&](Index i) {
    const Expr distance = distances.At(along(i, k));
    return te::ReduceSum(distance * distance, {k});
  });
  const Expr epsilon = loop::FloatConst(l.node.attributes.Double("epsilon"));
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    return distances.At(i) /
           loop::Apply(loop::Op::kSqrt, {squares.At(along(i, 0)) / size + epsilon});
  });
}

}  // namespace vta::compiler::operators
