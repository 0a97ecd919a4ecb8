// What made a launch as long as it is.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sim/cycle/core/stream.h"
#include "sim/trace/timeline.h"

namespace vta::sim::cycle {

/// By unit, in order and without a gap.
using UnitSlices = std::array<std::vector<CauseSlice>, isa::kUnits>;

/// Says of each wait for a token which instruction pushed it, and of each wait for space which one
/// popped: the n-th push into a queue is the n-th pop's. `insns`: those that were handed on.
void FindOtherEnds(std::span<const Insn* const> insns, int64_t token_capacity, UnitSlices& slices);

/// Walks the causes of a launch back from its end: what waits for another unit goes on there,
/// everything else is what the launch was waiting for. Cycles by unit and cause, of the parts of
/// the launch that end before each of `ends`, the first of which begins in cycle 1; those of a part
/// sum to its cycles.
std::vector<std::array<isa::CauseCycles, isa::kUnits>> CriticalPath(const UnitSlices& slices,
                                                                    std::span<const int64_t> ends);

}  // namespace vta::sim::cycle
