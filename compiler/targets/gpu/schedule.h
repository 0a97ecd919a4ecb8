// The schedule of a kernel of a GPU, by rule.
#pragma once

#include "compiler/loop/ir.h"
#include "compiler/targets/gpu/lines.h"
#include "compiler/targets/gpu/out_axes.h"
#include "compiler/targets/gpu/tile.h"

namespace vta::compiler::targets {

/// A thread computes an element of the result, and what that needs; 256 of them are a block. What
/// has several results, or parts that do not fit into one nest, one thread computes.
loop::Function ScheduledForGpu(const loop::Function& function);

/// Of a product as conv.h has it, defined for the tile, whose "out" has these axes where there are
/// some: a block computes a tile of the result, for some channels of the input after the other,
/// whose taps its threads bring into shared memory together; each thread has a part of the tile in
/// registers. Of a team a block does its share of the channels.
loop::Function ScheduledInTiles(const loop::Function& function, const GpuProduct& product,
                                const GpuTile& tile, const std::vector<OutAxis>& out_axes = {});

/// Of lines as lines.h has them, each a block's.
loop::Function ScheduledInLines(const loop::Function& function, const GpuLines& lines);

}  // namespace vta::compiler::targets
