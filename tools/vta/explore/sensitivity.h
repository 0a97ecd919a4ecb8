// What each parameter of one config does: the config with that one a step up or down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/support/json.h"
#include "tools/area/area.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/workload.h"

namespace vta::tools {

/// A config that differs from another one in a parameter.
struct Step {
  std::string parameter, from, to;
  std::optional<isa::Config> config;  // absent where there is none
  std::string why;                    // then, or where it could not be costed
  Workload::Means means;
  Resources more;  // than the config takes, as FittedResources has it
};

/// Powers of two doubled and halved, flags turned over, other choices, integers one more and one
/// less (cycles, tokens and bytes doubled and halved). Not the clock, in whose cycles the memory
/// is given. In the order of the parameters.
std::vector<Step> StepsFrom(const isa::Config& config);

/// Costs them, and sorts them by time; those that cannot be costed come last. The config's own
/// costs come first, without a parameter. `progress` is told. Errors: throws Error where the config
/// itself cannot be costed.
std::vector<Step> Sensitivity(const Workload& workload, const isa::Config& config, int64_t effort,
                              int64_t jobs, Progress* progress);

/// For people.
std::string SensitivityText(const isa::Config& config, const std::vector<Step>& steps);
Json SensitivityJson(const isa::Config& config, const std::vector<Step>& steps);

}  // namespace vta::tools
