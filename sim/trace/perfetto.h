// A timeline in the Chrome trace event format, which ui.perfetto.dev and chrome://tracing show.
#pragma once

#include <span>
#include <string>

#include "isa/layout.h"
#include "sim/trace/timeline.h"

namespace vta::sim {

/// One microsecond of the viewer is one clock cycle. A track of launches, named by `launch_names`
/// in turn; for each module a track of instructions, more where they overlap, and a track of what
/// it waits for; the bus as counters. `clock_note`, unless empty, stands beside the clock in what
/// the file says of itself.
std::string PerfettoJson(const Timeline& timeline, const isa::Layout& layout,
                         std::span<const std::string> launch_names,
                         const std::string& clock_note = "");

}  // namespace vta::sim
