// --what-if: the same programs on a clock without something, to see what that costs.
#pragma once

#include <string>
#include <vector>

#include "driver/cycle/cycle_device.h"
#include "isa/config.h"
#include "isa/launch.h"
#include "isa/support/json.h"

namespace vta::tools {

/// What is asked, and the causes to which its cycles were booked.
struct Question {
  std::string text;  // "bus=128"
  std::vector<isa::Cause> booked;
};
struct Questions {
  std::vector<Question> asked;
  std::vector<driver::WhatIf> runs;  // as many
};

/// What can be changed, for help texts and messages.
std::string WhatIfKeys();

/// From "bus=128,latency=0,uop=free,tokens=free"; each is a run of its own.
/// Errors: throws UsageError naming an entry that is none, and Error naming one that the config
/// cannot follow.
Questions ParseWhatIf(const std::string& text, const isa::Config& config);

/// A line for each: the cycles, the gain, and the shares of the critical path and of the compute
/// module's cycles that were booked to it.
std::string WhatIfTable(const Questions& questions, const isa::Time& time,
                        const isa::Causes& causes);
Json WhatIfJson(const Questions& questions, const isa::Time& time, const isa::Causes& causes);

}  // namespace vta::tools
