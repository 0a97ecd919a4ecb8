// Linear resizing on VTA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/ops/linear_taps.h"
#include "compiler/targets/vta/kernels/step_plan.h"
#include "compiler/targets/vta/kernels/work.h"

namespace vta::compiler::targets {

/// Planes that become whole numbers of times as high and wide.
/// Units: blocks for batch and channels (ChannelBlocks), pixels for height and width.
struct ResizeShape {
  int64_t batch = 1, channels = 1, in_h = 1, in_w = 1;
  ops::LinearTaps height, width;
  bool two = false;  // a second tensor, and factors of both for each channel
};
/// GEMM sums up the pixels around each place, times diagonals.
Work ResizeWork(const isa::Config& config, const ResizeShape& shape);
/// Parameters: x and, of two, z [batch, channels, in_h, in_w * in_parts, b, block_in] int8, w
/// [scale_h, taps_h, scale_w, taps_w, out_parts, in_parts, block_out, block_in] int8, p [out_parts,
/// rows, b, block_out] int32 and, of two, f [channels * out_parts, 2, b, block_out] int32, y
/// [batch, channels, in_h, scale_h, in_w, scale_w, out_parts, b, block_out] int8, with the parts of
/// ChannelBlocks. Errors: throws Error if no tile fits.
Scheduled ScheduleResize(const isa::Config& config, isa::Rounding rounding, const std::string& name,
                         const ResizeShape& shape);
/// The diagonals of all phases and taps, times `factor`.
std::vector<uint8_t> ResizeWeights(const isa::Config& config, const ResizeShape& shape,
                                   int64_t factor);

/// The row of resize_i8 (operators.h).
void RequireResize(const OperatorStep& step);
std::vector<Work> ResizeLayouts(const OperatorStep& step);
double ErrorOfResize(const OperatorStep& step);
StepPlan PlanResize(const OperatorStep& step);

}  // namespace vta::compiler::targets
