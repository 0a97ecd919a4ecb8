// Products of matrices, as schedules of the dot products that CPUs have.
#pragma once

#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/cpu/intrinsics.h"
#include "compiler/te/te.h"

namespace vta::compiler::targets {

/// y[m, o] = sum over g, i of x[m, g, i] * w[o / 16, g, o % 16, i], +1.
/// Shape: x [5, 3, group], w [2, 3, 16, group], s and y [5, 2, 16].
inline loop::Function DotProducts(loop::DType x_type, loop::DType w_type, int64_t group) {
  using loop::DType;
  using loop::Expr;
  te::Tensor x = te::Placeholder("x", {5, 3, group}, x_type);
  te::Tensor w = te::Placeholder("w", {2, 3, kLanes, group}, w_type);
  te::ReduceAxis g("g", 3), i("i", group);
  const std::vector<te::Axis> axes = {{"m", 5}, {"b", 2}, {"o", kLanes}};
  te::Tensor s = te::Compute("s", axes, [&](Expr m, Expr b, Expr o) {
    return te::ReduceSum(Cast(DType::kInt32, x(m, g, i)) * Cast(DType::kInt32, w(b, g, o, i)),
                         {g, i});
  });
  te::Tensor y = te::Compute("y", axes, [&](Expr m, Expr b, Expr o) { return s(m, b, o) + 1; });
  return te::Lower("products", {x, w, y});
}

inline loop::Schedule DotSchedule(const DotRow& row) {
  loop::Schedule s(DotProducts(row.x, row.w, row.group), DotIntrinsics());
  s.Do("reorder", "s", "g", "m", "b", "o", "i");
  s.Do("tensorize", "s", "o", std::string(row.name));
  return s;
}

}  // namespace vta::compiler::targets
