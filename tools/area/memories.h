// The memories of the core, and what they take of an FPGA.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "tools/area/area.h"

namespace vta::tools {

/// One hw/rtl/common/vta_ram.sv, or several alike.
struct CoreMemory {
  int64_t width = 0, depth = 0;  // bits of a row, rows
  int64_t lanes = 1;             // that are written by themselves, each a memory of its own
  bool registered = false;       // behind what is read
  int64_t count = 1;
};
/// Queues of commands, buffers of reads, scratchpads.
std::vector<CoreMemory> CoreMemories(const isa::Config& config);

/// What Yosys 0.23 makes of it for a family, "xc7", "xcup" or "ecp5": shallow memories of lookup
/// tables, with flip-flops for what is read; others of the blocks that are the fewest.
Resources ResourcesOf(const CoreMemory& memory, std::string_view family);

}  // namespace vta::tools
