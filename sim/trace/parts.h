// The time of a launch by parts of its program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/trace/timeline.h"

namespace vta::sim {

/// The ends of the parts of the timeline's only launch, in its cycles, as isa::PartTime has it.
/// Shape: one for each of `starts`, ascending; the last is the launch's.
std::vector<int64_t> PartEnds(const Timeline& launch, std::span<const int64_t> starts);

/// What the modules did up to each of these ends, since the one before. Causes are left out.
std::vector<isa::PartTime> TimeOfParts(const Timeline& launch, std::span<const int64_t> ends);

}  // namespace vta::sim
