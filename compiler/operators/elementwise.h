// What the files of element-wise ops share.
#pragma once

#include "compiler/operators/lowering.h"

namespace vta::compiler::operators {

using Index = const std::vector<Expr>&;

template <typename F>
te::Tensor Elementwise(const Lowering& l, F f) {
  return te::Compute("y", l.OutputAxes(), [&](Index i) { return f(i); });
}

/// f of the two operands' elements.
template <typename F>
te::Tensor Pairwise(const Lowering& l, F f) {
  return Elementwise(l, [&](Index i) { return f(Broadcast(l.x(0), i), Broadcast(l.x(1), i)); });
}

}  // namespace vta::compiler::operators
