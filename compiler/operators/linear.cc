// Matrix products.
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

te::Tensor LowerMatMulI8(const Lowering& l) {
  const bool plain = l.shape(0).size() == 4 && l.shape(1).size() == 2 && l.shape(2).size() == 1;
  l.Require(plain, "input shape", ToText(l.shape(0)),
            "must be [1,C,H,W], its matrices [O,K] and their bias [O]");
  const int64_t depth = l.shape(1)[1], per_group = l.shape(1)[0] / l.Int("groups");
  const te::ReduceAxis k("k", depth);
  const auto wide = [](const Expr& e) { return Cast(loop::DType::kInt32, e); };
  const te::Tensor sums = te::Compute("sums", l.OutputAxes(), [&](Index i) {
    const Expr channel = FloorDiv(i[1], per_group) * depth + k;
    return te::ReduceSum(wide(l.x(0)(i[0], channel, i[2], i[3])) * wide(l.x(1)(i[1], k)), {k});
  });
  return te::Compute("y", l.OutputAxes(),
                     [&](Index i) { return RequantBiased(l, sums.At(i), l.x(2)(i[1])); });
}

}  // namespace vta::compiler::operators
