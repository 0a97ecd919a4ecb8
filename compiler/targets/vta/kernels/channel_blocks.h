// How blocks of channels in DRAM meet the elements of the scratchpads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/config.h"

namespace vta::compiler::targets {

/// A pixel of an activation is a block of max(block_in, block_out) channels: `in_parts` elements of
/// inp, of which GEMM reads one at a time, or `out_parts` elements of out, each of which it writes
/// alone. One of the two is 1. With more than one sample in an element, parts would not be
/// contiguous: then the blocks have to be equal.
struct ChannelBlocks {
  int64_t channels, in_parts, out_parts;

  explicit ChannelBlocks(const isa::Config& config)
      : channels(std::max(config.arch.block_in, config.arch.block_out)),
        in_parts(channels / config.arch.block_in),
        out_parts(channels / config.arch.block_out) {}
};

}  // namespace vta::compiler::targets
