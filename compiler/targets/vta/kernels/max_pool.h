// Maximum over windows on VTA: int8 rows reach the accumulators by identity GEMM, the ALU takes the
// maximum of each window.
#pragma once

#include "compiler/targets/vta/kernels/elementwise.h"

namespace vta::compiler::targets {

/// Of one tile, in output rows and columns.
struct PoolTile {
  int64_t height = 1, width = 1;
};
/// The tile that fits twice and loads the fewest rows.
/// Errors: throws Error at `name` if none fits.
PoolTile ChoosePoolTile(const isa::Config& config, const std::string& name, const ConvShape& shape);

/// Shape: as ScheduleMaxPool. The pixels of the taps are widened, each once; the maximum is taken
/// of columns and then of rows.
Work MaxPoolWork(const isa::Config& config, const ConvShape& shape);

/// The window, strides and pads of `shape`; its channels are `groups` blocks with ci = co = 1.
/// Parameters: x [batch, groups, in_h, in_w * in_parts, b, block_in] int8; w [out_parts, in_parts,
/// block_out, block_in] int8, the identity; y [batch, groups, out_h, out_w, out_parts, b,
/// block_out] int8. Pads with shape.pad_value. Errors: throws Error if no tile fits.
Scheduled ScheduleMaxPool(const isa::Config& config, const std::string& name,
                          const ConvShape& shape);

}  // namespace vta::compiler::targets
