// The sum of two int8 tensors, each times a factor, on VTA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/targets/vta/kernels/elementwise.h"
#include "compiler/targets/vta/kernels/step_plan.h"
#include "compiler/targets/vta/kernels/work.h"
#include "isa/spec/requant.h"

namespace vta::compiler::targets {

/// The digits of a multiplier: 128 * high + low, both int8.
struct Digits {
  int8_t high = 0, low = 0;
};
Digits DigitsOf(int64_t multiplier);
inline constexpr int64_t kMostMultiplier = 127 * 128 + 63;

/// The multipliers of a sum with a power of two taken out of both: as little as makes each one
/// digit, or else two. Errors: none; what is too wide even so stays it.
struct SumFactors {
  int64_t a = 1, b = 1, shift = 0;

  bool two_digits() const { return DigitsOf(a).high != 0 || DigitsOf(b).high != 0; }
};
SumFactors TakeOutShift(int64_t a, int64_t b);

/// y = epilogue((multiplier_a * a + multiplier_b * b) << shift). A multiplier of up to 14 bits is
/// two digits of 7: the high ones are summed first and shifted, and the low ones added to that.
struct AddShape {
  RowGroups rows;
  bool two_digits = false;
  int64_t shift = 0;
  bool wide_shift = false;  // EpilogueKind::kWideShift
  bool table = false;       // the sum's codes go through one
};
/// GEMM widens each operand in as many digits as the sum has.
Work AddWork(const isa::Config& config, const AddShape& shape);
/// Parameters: as RowKernel and ScheduleRows, the diagonals of w [digits (low first), operands].
/// Errors: throws Error if no tile fits.
Scheduled ScheduleAdd(const isa::Config& config, isa::Rounding rounding,
                      const isa::RequantLane& common, const std::string& name,
                      const AddShape& shape);

/// What an add_i8 of the graph states.
struct AddWorkload {
  RowOperands operands;
  isa::RequantLane lane;
  int64_t factors[2];  // of the kernel's operands
  AddShape shape;
};
/// Errors: throws Error at the node with what the target cannot do.
AddWorkload AddWorkloadOf(const isa::Config& config, const Graph& graph, const Node& node);

/// The row of add_i8 (operators.h).
double ErrorOfAdd(const OperatorStep& step);
void RequireAdd(const OperatorStep& step);
std::vector<Work> AddLayouts(const OperatorStep& step);
StepPlan PlanAdd(const OperatorStep& step);

}  // namespace vta::compiler::targets
