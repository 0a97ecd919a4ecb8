// Nearest upsampling on VTA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/targets/vta/kernels/step_plan.h"
#include "compiler/targets/vta/kernels/work.h"

namespace vta::compiler::targets {

/// y[n, c, i, j] = x[n, c, i / scale_h, j / scale_w], of blocks of channels.
struct UpsampleShape {
  int64_t planes = 1, in_h = 1, in_w = 1;  // of all samples and blocks
  int64_t scale_h = 1, scale_w = 1;
};
/// GEMM writes a pixel, times a diagonal, wherever it is repeated.
Work UpsampleWork(const isa::Config& config, const UpsampleShape& shape);
/// Parameters: x [planes, in_h, in_w * in_parts, b, block_in], w [out_parts, in_parts, block_out,
/// block_in], y [planes, in_h, scale_h, in_w, scale_w, out_parts, b, block_out], all int8, with the
/// parts of ChannelBlocks. Errors: throws Error if no tile fits.
Scheduled ScheduleUpsample(const isa::Config& config, const std::string& name,
                           const UpsampleShape& shape);

/// The row of upsample_i8 (operators.h).
void RequireUpsample(const OperatorStep& step);
std::vector<Work> UpsampleLayouts(const OperatorStep& step);
StepPlan PlanUpsample(const OperatorStep& step);

}  // namespace vta::compiler::targets
