// What element-wise operators of two int8 tensors share on VTA. Int8 rows, the pixels of a channel
// block, reach the accumulators through GEMM with (scaled) identity weights, which every ISA
// version has; the ALU computes there, and an epilogue makes codes of the result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/targets/vta/kernels/epilogue.h"
#include "compiler/targets/vta/kernels/step_plan.h"
#include "compiler/targets/vta/kernels/work.h"

namespace vta::compiler::targets {

/// An operator of so many rows: what one row of a tile takes of inp and acc, in blocks of channels,
/// and all rows of wgt, in diagonals.
struct RowNeeds {
  int64_t rows, inp, acc, wgt;
  EpilogueKind epilogue;
};
/// The most rows of a tile; few enough that two tiles overlap.
/// Errors: throws Error at `name` if not one row fits.
int64_t RowTile(const isa::Config& config, const std::string& name, const RowNeeds& needs);

/// What the rows need whatever the tile: each operand widened once, resets, the epilogue; bytes
/// without those of weights.
Work RowWork(const isa::Config& config, const RowNeeds& needs);
/// The vectors of the result.
int64_t RowVectors(const isa::Config& config, const RowNeeds& needs);
int64_t DiagonalBytes(const isa::Config& config);

inline constexpr const char* kGemm = "vta.gemm";

/// A kernel up to its accumulators. Shape: acc as RowAxes; a, b [rows, in_parts, b, block_in] int8;
/// w [sets..., out_parts, in_parts, block_out, block_in] int8, with the parts of ChannelBlocks.
struct RowKernel {
  te::Tensor a, b, w, acc;
  std::vector<Stage> stages;  // GEMM's sums, which start rows where they are over none, and ALU's
  size_t reductions;          // loops of each sum
  std::vector<std::string> loads;  // what each sum reads: a or b; else all read the block "both"
};
std::vector<te::Axis> RowAxes(const isa::Config& config, int64_t rows);
te::Tensor RowOperand(const isa::Config& config, const std::string& name, int64_t rows);
te::Tensor RowWeights(const isa::Config& config, std::vector<int64_t> sets);

/// The kernel and its epilogue, which overwrites the first stage, with the largest tile that fits.
/// Parameters: a, b, w, p [out_parts, rows of the epilogue, b, block_out] int32, y [rows,
/// out_parts, b, block_out] int8. Errors: throws Error if no tile fits.
Scheduled ScheduleRows(const isa::Config& config, isa::Rounding rounding,
                       const isa::RequantLane& common, const std::string& name,
                       const RowNeeds& needs, RowKernel kernel);

/// The parameter p where all channels have one lane; `most` bounds the sums' magnitude.
std::vector<uint8_t> RowLanes(const isa::Config& config, const RowNeeds& needs,
                              const isa::RequantLane& lane, int64_t most);
/// Of the node's two operands.
StepPlan PlanRows(const OperatorStep& step, Scheduled kernel, std::vector<uint8_t> w,
                  std::vector<uint8_t> p);

}  // namespace vta::compiler::targets
