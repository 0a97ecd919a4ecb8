#include "driver/functional/functional_device.h"

namespace vta::driver {

FunctionalDevice::FunctionalDevice(const isa::Config& config, const FunctionalOptions& options)
    : SimulatedDevice({"functional", isa::ArchHash(config), std::nullopt, config},
                      options.memory_bytes),
      machine_(config, options.machine) {}

isa::LaunchResult FunctionalDevice::Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                                        std::chrono::nanoseconds limit) {
  machine_.options().time_limit = limit;
  return machine_.Run(request, dram);
}

}  // namespace vta::driver
