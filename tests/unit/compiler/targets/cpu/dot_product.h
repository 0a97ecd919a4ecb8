// Products of matrices, as schedules of the dot products that CPUs have.
#pragma once

#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/cpu/intrinsics.h"
#include "compiler/te/te.h"

namespace vta::compiler::targets {

/// y[m, o] = sum over g, i of x[m, g, i] * w[o / 16, g, o % 16, i], +1; by lane of x[m, g, i, o].
/// Shape: x [5, 3, group] or [5, 3, group, 16], w [2, 3, 16, group], s and y [5, 2, 16].
inline loop::Function DotProducts(loop::DType x_type, loop::DType w_type, int64_t group,
                                  bool by_lane = false) {
  using loop::DType;
  using loop::Expr;
  const std::vector<int64_t> shared{5, 3, group}, own{5, 3, group, kLanes};
  te::Tensor x = te::Placeholder("x", by_lane ? own : shared, x_type);
  te::Tensor w = te::Placeholder("w", {2, 3, kLanes, group}, w_type);
  te::ReduceAxis g("g", 3), i("i", group);
  const std::vector<te::Axis> axes = {{"m", 5}, {"b", 2}, {"o", kLanes}};
  te::Tensor s = te::Compute("s", axes, [&](Expr m, Expr b, Expr o) {
    const Expr factor = by_lane ? x(m, g, i, o) : x(m, g, i);
    return te::ReduceSum(Cast(DType::kInt32, factor) * Cast(DType::kInt32, w(b, g, o, i)), {g, i});
  });
  te::Tensor y = te::Compute("y", axes, [&](Expr m, Expr b, Expr o) { return s(m, b, o) + 1; });
  return te::Lower("products", {x, w, y});
}

inline loop::Schedule DotSchedule(const DotRow& row) {
  loop::Schedule s(DotProducts(row.x, row.w, row.group, row.by_lane), DotIntrinsics());
  s.Do("reorder", "s", "g", "m", "b", "o", "i");
  s.Do("tensorize", "s", "o", std::string(row.name));
  return s;
}

}  // namespace vta::compiler::targets
