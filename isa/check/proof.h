// The last stage: walks the instructions in an order in which they can run and shows for each
// access that every conflicting access of another module is ordered by tokens, and that what is
// read was written.
#pragma once

#include <cstdint>
#include <span>

#include "isa/check/collector.h"
#include "isa/check/steps.h"

namespace vta::isa {

/// Occupancy of the queues against the capacity; where all rows are known, also races,
/// uninitialised reads and stores into what must not change.
void ProveOrder(const Layout& layout, const Launch& launch, Steps& resolved,
                std::span<const int64_t> order, Collector& findings, Statistics& statistics);

}  // namespace vta::isa
