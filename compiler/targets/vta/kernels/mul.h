// The product of two int8 tensors on VTA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/targets/vta/kernels/elementwise.h"
#include "compiler/targets/vta/kernels/step_plan.h"
#include "compiler/targets/vta/kernels/work.h"

namespace vta::compiler::targets {

/// y = epilogue((a - zero_a) * (b - zero_b)); needs arch.mul.
struct MulShape {
  RowGroups rows;
  int64_t zero_a = 0, zero_b = 0;
  bool table = false;  // the product's codes go through one
};
/// GEMM widens each operand, the ALU centres and multiplies both.
Work MulWork(const isa::Config& config, const MulShape& shape);
/// Parameters: as RowKernel and ScheduleRows, w one diagonal. Errors: throws Error if no tile fits.
Scheduled ScheduleMul(const isa::Config& config, isa::Rounding rounding,
                      const isa::RequantLane& common, const std::string& name,
                      const MulShape& shape);

/// The row of mul_i8 (operators.h).
double ErrorOfMul(const OperatorStep& step);
void RequireMul(const OperatorStep& step);
std::vector<Work> MulLayouts(const OperatorStep& step);
StepPlan PlanMul(const OperatorStep& step);

}  // namespace vta::compiler::targets
