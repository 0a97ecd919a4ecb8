// Maximum over windows on VTA: int8 rows reach the accumulators by identity GEMM, the ALU takes the
// maximum of each window.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/targets/vta/kernels/conv/conv.h"
#include "compiler/targets/vta/kernels/step_plan.h"
#include "compiler/targets/vta/kernels/work.h"

namespace vta::compiler::targets {

/// Shape: as ScheduleMaxPool. The pixels of the taps are widened, each once; the maximum is taken
/// of columns and then of rows.
Work MaxPoolWork(const isa::Config& config, const ConvShape& shape);

/// The window, strides and pads of `shape`; its channels are `groups` blocks with ci = co = 1.
/// Parameters: x [batch, groups, in_h, in_w * in_parts, b, block_in] int8; w [out_parts, in_parts,
/// block_out, block_in] int8, the identity; y [batch, groups, out_h, out_w, out_parts, b,
/// block_out] int8. Pads with shape.pad_value. Errors: throws Error if no tile fits.
Scheduled ScheduleMaxPool(const isa::Config& config, const std::string& name,
                          const ConvShape& shape);

/// The row of max_pool_i8 (operators.h).
void RequireMaxPool(const OperatorStep& step);
std::vector<Work> MaxPoolLayouts(const OperatorStep& step);
StepPlan PlanMaxPool(const OperatorStep& step);

}  // namespace vta::compiler::targets
