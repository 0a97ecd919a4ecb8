// How a launch ended and what it did, for people and for machines.
#pragma once

#include <string>

#include "isa/launch.h"
#include "isa/support/json.h"

namespace vta::tools {

/// The outcome; unless it finished, where fetch and each module stand, with the instruction; the
/// counters.
std::string LaunchToText(const isa::Config& config, const isa::LaunchResult& result);
Json LaunchToJson(const isa::Config& config, const isa::LaunchResult& result);

}  // namespace vta::tools
