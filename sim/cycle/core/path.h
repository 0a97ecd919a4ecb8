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
using UnitCauses = std::array<isa::CauseCycles, isa::kUnits>;

/// Says of each wait for a token which instruction pushed it, and of each wait for space which one
/// popped: the n-th push into a queue is the n-th pop's. `insns`: those that were handed on.
void FindOtherEnds(std::span<const Insn* const> insns, int64_t token_capacity, UnitSlices& slices);

/// The unit that was the last to do or wait for anything: where the path ends.
int LastToEnd(const UnitSlices& slices);

/// The critical path through consecutive parts of a launch.
struct Path {
  std::vector<UnitCauses> parts;  // cycles by unit and cause, which sum to those of the part
  int from = 0;                   // the unit at which it comes out of the part before
};

/// Walks the causes of parts back from their end, where the path is at `unit`: what waits for
/// another unit goes on there, everything else is what the launch was waiting for. `slices`: of
/// cycles [begin, ends.back()); `ends`: of the parts, the cycles before which they end.
Path CriticalPath(const UnitSlices& slices, int64_t begin, std::span<const int64_t> ends, int unit);

}  // namespace vta::sim::cycle
