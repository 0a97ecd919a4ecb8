// The SystemVerilog package of one config: everything that hw/rtl knows about it.
#pragma once

#include <cstdint>
#include <string>

#include "isa/config.h"

namespace vta::isa {

/// Refuses a config that the hardware cannot be built for.
/// Errors: throws Error naming file, key, value and rule.
void CheckHardware(const Config& config, const std::string& file);

/// The text of package vta_pkg: parameters, field positions, codes, registers, timing.
std::string SystemVerilogPackage(const Config& config);
/// The same where the register of the timing hash reads something else.
std::string SystemVerilogPackage(const Config& config, uint64_t timing_hash);

/// Beats of the longest burst: uarch.max_burst_beats, cut so that a burst can stay inside a 4 KiB
/// page.
int64_t BurstBeats(const Config& config);

/// Beats of fetch's buffer: uarch.fetch_buffer_instructions.
int64_t FetchBeats(const Config& config);

/// Beats of the longest burst of the instruction stream: fetch's buffer holds two of them.
int64_t FetchBurstBeats(const Config& config);

}  // namespace vta::isa
