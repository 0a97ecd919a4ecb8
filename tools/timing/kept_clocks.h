// The clocks that `vta hw timing --keep` found for designs other than the shipped configs, kept in
// hw/synth/clocks.jsonl: predictions are fitted to them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "tools/area/area.h"
#include "tools/timing/design.h"

namespace vta::tools {

struct KeptClock : KeptDesign {  // by DesignHash
  double mhz = 0;                // that the longest path allows; the error is not taken off
};
Json ToJson(const KeptClock& clock);
/// Errors: throws Error naming the line that is none, and why.
std::vector<KeptClock> ParseClocks(std::string_view text, const std::string& file);
/// Those of the file, read once. Errors: those of the file.
const std::vector<KeptClock>& KeptClocks();

/// Keeps what was found, in place of what was kept of the same hardware and family.
/// Errors: throws Error when the file cannot be written.
void KeepClock(const isa::Config& config, const Part& part, double mhz, const std::string& yosys);

}  // namespace vta::tools
