// --what-if: the same programs on a clock without something, to see what that costs.
#pragma once

#include <string>
#include <vector>

#include "driver/cycle/cycle_device.h"
#include "isa/config.h"
#include "isa/launch.h"
#include "isa/support/json.h"

namespace vta::tools {

/// What is asked, and to what its cycles were booked.
struct Question {
  struct Booked {
    isa::Cause cause;
    std::vector<int> units = {};  // of isa::kUnits; or all
  };
  std::string text;  // "bus=128+bytes=16"
  std::vector<Booked> booked;
};
struct Questions {
  std::vector<Question> asked;
  std::vector<driver::WhatIf> runs;  // as many
};

/// What can be changed, for help texts and messages.
std::string WhatIfKeys();

/// From "bus=128+bytes=16,latency=0,uop=free,tokens=free": what a comma parts is a run of its own,
/// what a plus joins happens in one.
/// Errors: throws UsageError naming an entry that is none, and Error naming one that the config
/// cannot follow.
Questions ParseWhatIf(const std::string& text, const isa::Config& config);

/// A line for each: the cycles, the gain, and the shares of the critical path and of the compute
/// module's cycles that were booked to it.
std::string WhatIfTable(const Questions& questions, const isa::Time& time,
                        const isa::Causes& causes);
Json WhatIfJson(const Questions& questions, const isa::Time& time, const isa::Causes& causes);

}  // namespace vta::tools
