// A timeline in the Chrome trace event format, which ui.perfetto.dev and chrome://tracing show.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>

#include "isa/layout.h"
#include "sim/trace/timeline.h"

namespace vta::sim {

struct PerfettoTrace {
  std::string json;
  std::optional<int64_t> cut_cycle;  // what begins then or later is left out
};

/// A launch, or what one of its layers has of it.
struct NamedSlice : Slice {
  std::string name;
};

/// A timeline's launches, named in turn; by their numbers where there is no name.
std::vector<NamedSlice> NamedLaunches(const Timeline& timeline, std::span<const std::string> names);

/// One microsecond of the viewer is one clock cycle. A track of launches, as `launches` has them;
/// for each module a track of instructions, more where they overlap, with an arrow from
/// the push of a token to its pop; a track of why the cycles of fetch and of each module went by,
/// or, from an engine that does not know causes, of what each module waits for; the bus as
/// counters. `clock_note`, unless empty, stands beside the clock in what the file says of itself.
/// A trace of more than `most_bytes` is cut, and says so.
PerfettoTrace PerfettoJson(const Timeline& timeline, const isa::Layout& layout,
                           std::span<const NamedSlice> launches, const std::string& clock_note = "",
                           int64_t most_bytes = std::numeric_limits<int64_t>::max());

}  // namespace vta::sim
