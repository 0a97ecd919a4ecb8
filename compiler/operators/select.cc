// Ops that choose elements: slice, gather, expand.
#include "compiler/operators/lowering.h"

namespace vta::compiler::operators {

using Index = const std::vector<Expr>&;

te::Tensor LowerSlice(const Lowering& l) {
  const auto &starts = l.Ints("starts"), &steps = l.Ints("steps");
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    std::vector<Expr> from;
    for (size_t d = 0; d < starts.size(); ++d) from.push_back(i[d] * steps[d] + starts[d]);
    return starts.empty() ? l.x()(0) : l.x().At(from);
  });
}

te::Tensor LowerGather(const Lowering& l) {
  const size_t axis = static_cast<size_t>(l.Int("axis")), rank = l.shape(1).size();
  const int64_t size = l.shape(0)[axis];
  return te::Compute("y", l.OutputAxes(), [&](Index i) {
    const std::vector<Expr> place(i.begin() + axis, i.begin() + axis + rank);
    const Expr asked = Cast(loop::DType::kInt64, rank == 0 ? l.x(1)(0) : l.x(1).At(place));
    const Expr counted = Select(asked < Expr(0), asked + size, asked);
    std::vector<Expr> from(i.begin(), i.begin() + axis);
    from.push_back(Min(Max(counted, Expr(0)), Expr(size - 1)));
    for (size_t d = axis + 1; d < l.shape(0).size(); ++d) from.push_back(i[d - 1 + rank]);
    return l.x().At(from);
  });
}

te::Tensor LowerExpand(const Lowering& l) {
  return te::Compute("y", l.OutputAxes(), [&](Index i) { return Broadcast(l.x(), i); });
}

}  // namespace vta::compiler::operators
