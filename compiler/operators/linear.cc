// Matrix products, means and softmax.
#include "compiler/graph/ops/int8_common.h"
#include "compiler/operators/lowering.h"

namespace vta::compiler::operators {
namespace {

using Index = const std::vector<Expr>&;

Expr Sum(const Expr& a, const Expr& b) { return a + b; }

}  // namespace

te::Tensor LowerGemm(const Lowering& l) {
  const bool ta = l.Int("trans_a") != 0, tb = l.Int("trans_b") != 0;
  const te::ReduceAxis k("k", l.shape(0)[ta ? 0 : 1]);
  const te::Tensor sums = te::Compute("sums", l.OutputAxes(), [&](Expr i, Expr j) {
    return te::ReduceSum((ta ? l.x(0)(k, i) : l.x(0)(i, k)) * (tb ? l.x(1)(j, k) : l.x(1)(k, j)),
                         {k});
  });
  const Expr alpha = loop::FloatConst(l.node.attributes.Double("alpha"));
  const Expr beta = loop::FloatConst(l.node.attributes.Double("beta"));
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    const Expr product = sums.At(i) * alpha;
    return l.Has(2) ? Sum(product, beta * Broadcast(l.x(2), i)) : product;
  });
}

te::Tensor LowerMatMul(const Lowering& l) {
  const size_t rank_a = l.shape(0).size(), rank_b = l.shape(1).size();
  const te::ReduceAxis k("k", l.shape(0).back());
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    // The batch indices of the output, without the row and the column that it has.
    size_t batches = l.output.shape.size() - (rank_a > 1 ? 1 : 0) - (rank_b > 1 ? 1 : 0);
    const Expr row = rank_a > 1 ? i[batches] : Expr(0);
    const auto operand = [&](const te::Tensor& t, size_t rank, const Expr& second_last,
                             const Expr& last) {
      if (rank == 1) return t(k.expr());
      std::vector<Expr> at;
      for (size_t d = 0; d + 2 < rank; ++d)
        at.push_back(t.shape()[d] == 1 ? Expr(0) : i[batches - (rank - 2) + d]);
      at.push_back(second_last);
      at.push_back(last);
      return t.At(at);
    };
    const Expr column = rank_b > 1 ? i.back() : Expr(0);
    return te::ReduceSum(operand(l.x(0), rank_a, row, k) * operand(l.x(1), rank_b, k, column), {k});
  });
}

te::Tensor LowerDenseI8(const Lowering& l) {
  l.Require(l.shape(0).size() == 2, "input shape", ToText(l.shape(0)), "must be [N,K]");
  const te::ReduceAxis k("k", l.shape(1)[1]);
  const auto wide = [](const Expr& e) { return Cast(loop::DType::kInt32, e); };
  const te::Tensor sums = te::Compute("sums", l.OutputAxes(), [&](Expr n, Expr o) {
    return te::ReduceSum(wide(l.x(0)(n, k)) * wide(l.x(1)(o, k)), {k});
  });
  return te::Compute("y", l.OutputAxes(),
                     [&](Expr n, Expr o) { return RequantChannel(l, sums(n, o), o); });
}

te::Tensor LowerReduceMean(const Lowering& l) {
  const Shape& shape = l.shape(0);
  const std::vector<int64_t>& axes = l.Ints("axes");
  std::vector<bool> reduced(shape.size());
  for (int64_t axis : axes) reduced[axis] = true;
  std::vector<te::ReduceAxis> over;
  int64_t count = 1;
  for (size_t d = 0; d < shape.size(); ++d)
    if (reduced[d]) over.emplace_back(StrCat("r", d), shape[d]), count *= shape[d];
  const bool keep = l.Int("keepdims") != 0;
  const auto source = [&](Index i) {
    std::vector<Expr> at;
    size_t next_out = 0, next_axis = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      at.push_back(reduced[d] ? over[next_axis++].expr() : i[next_out]);
      if (!reduced[d] || keep) ++next_out;
    }
    return l.x().At(at);
  };
  if (over.empty()) return te::Compute("y", l.OutputAxes(), source);
  const te::Tensor sums =
      te::Compute("sums", l.OutputAxes(), [&](Index i) { return te::ReduceSum(source(i), over); });
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    return sums.At(i) / loop::FloatConst(static_cast<double>(count));
  });
}

te::Tensor LowerSoftmax(const Lowering& l) {
  const int64_t axis = l.Int("axis");
  const te::ReduceAxis j("j", l.output.shape[axis]), k("k", l.output.shape[axis]);
  std::vector<te::Axis> lines = l.OutputAxes();
  lines[axis] = te::Axis(1);
  const auto along = [&](Index i, const Expr& at) {
    std::vector<Expr> out = i;
    out[axis] = at;
    return out;
  };
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

}  // namespace vta::compiler::operators
