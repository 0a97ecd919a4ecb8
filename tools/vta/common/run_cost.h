// What a run of a network takes, without running it: cycles on the cycle model, and the CPU's steps
// on the hosts of its config, by a model.
#pragma once

#include <vector>

#include "isa/config.h"
#include "isa/package.h"
#include "tools/host/host_time.h"

namespace vta::tools {

struct RunCost {
  int64_t cycles = 0;
  double accelerator_ms = 0;  // at the config's clock
  std::vector<HostedRun> hosts;
};

/// Errors: throws Error where the cycle model does not know the config.
RunCost CostOf(const isa::Package& package, const isa::Config& config);

}  // namespace vta::tools
