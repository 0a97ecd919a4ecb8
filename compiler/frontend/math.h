// One operator's ops on values and numbers of one type.
#pragma once

#include "compiler/frontend/emitter.h"

namespace vta::compiler {

struct Math {
  Math(Emitter& emitter, ValueId first) : node(emitter), x(first) {}

  Emitter& node;
  ValueId x;  // the first input, and what numbers are like

  ValueId operator()(Op op, ValueId a) const { return node.Emit(op, {a}); }
  ValueId operator()(Op op, ValueId a, ValueId b) const { return node.Emit(op, {a, b}); }
  ValueId operator()(Op op, ValueId a, double b) const { return (*this)(op, a, Number(b)); }
  ValueId operator()(Op op, double a, ValueId b) const { return (*this)(op, Number(a), b); }
  ValueId Number(double value) const { return node.Number(x, value); }
  ValueId Clip(ValueId a, double low, double high) const {
    return node.Emit(Op::kClip, {a}, {{"low", low}, {"high", high}});
  }
  ValueId Above() const { return (*this)(Op::kRelu, x); }  // max(x, 0)
  ValueId Below() const { return (*this)(Op::kMin, x, 0.0); }
};

inline ValueId HardSwishOf(const Math& m) {
  return m(Op::kMul, m.x, m.Clip(m(Op::kAdd, m(Op::kMul, m.x, 1.0 / 6), 0.5), 0, 1));
}

/// `by_tanh`: the form that is nearly the same.
inline ValueId GeluOf(const Math& m, bool by_tanh) {
  if (!by_tanh) return m(Op::kGelu, m.x);
  constexpr double kSqrtTwoByPi = 0.79788456080286535588;
  const ValueId cube = m(Op::kMul, m(Op::kMul, m.x, m.x), m.x);
  const ValueId sum = m(Op::kAdd, m.x, m(Op::kMul, cube, 0.044715));
  const ValueId gate = m(Op::kTanh, m(Op::kMul, sum, kSqrtTwoByPi));
  return m(Op::kMul, m(Op::kMul, m.x, 0.5), m(Op::kAdd, gate, 1.0));
}

}  // namespace vta::compiler
