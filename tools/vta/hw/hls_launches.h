// Launches with what they leave, for a test bench of the HLS kernels.
#pragma once

#include <string>

#include "isa/config.h"

namespace vta::tools {

/// Small programs, one with every opcode of the config, a fault and a deadlock, one after the other
/// on the golden model, with a memory of kBenchBytes (hw/hls/vta_state.h). A launch: its name; in
/// hexadecimal the address and count of its instructions, isa::Outcome, how many 8-byte words of
/// memory follow (the rest is 0), the counters of registers.h but for those of cycles, memory
/// before and after it.
std::string HlsLaunches(const isa::Config& config);

}  // namespace vta::tools
