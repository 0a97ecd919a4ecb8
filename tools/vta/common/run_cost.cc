#include "tools/vta/common/run_cost.h"

#include "sim/cycle/core/core.h"
#include "tools/vta/common/network_launches.h"

namespace vta::tools {

RunCost CostOf(const isa::Package& package, const isa::Config& config) {
  RunCost cost;
  sim::cycle::Core core(config);
  const NetworkLaunches network = LaunchesOf(package, Launches::kOfSeveral);
  for (const NetworkLaunches::Launch& launch : network.launches)
    cost.cycles += core.Run(launch.request, network.dram).counters.time.value().cycles;
  cost.accelerator_ms =
      static_cast<double>(cost.cycles) / (1e3 * static_cast<double>(config.uarch.clock_mhz));
  cost.hosts = HostedRunsOf(config, package, cost.accelerator_ms);
  return cost;
}

}  // namespace vta::tools
