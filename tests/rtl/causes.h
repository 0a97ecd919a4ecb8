// What the causes of a launch must keep, whatever ran.
#pragma once

#include <initializer_list>
#include <string>

#include "isa/launch.h"
#include "sim/trace/timeline.h"

namespace vta::test {

int64_t Sum(const isa::CauseCycles& cycles, std::initializer_list<isa::Cause> causes);

/// The causes of each unit and those of the critical path sum to the launch's cycles, they agree
/// with what the hardware counts, and the timeline, from cycle `origin` on, says the same. What
/// they do not keep, in words, or "".
std::string BrokenCauses(const isa::Counters& counters, const sim::Timeline& timeline,
                         int64_t origin = 0);

}  // namespace vta::test
