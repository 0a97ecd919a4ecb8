#include "driver/hls/hls_device.h"

#include "isa/register_launch.h"

namespace vta::driver {

HlsDevice::HlsDevice(const isa::Config& config, int64_t memory_bytes,
                     const sim::HlsOptions& options, const sim::HlsBuild& build)
    : SimulatedDevice({"hls", isa::ArchHash(config), std::nullopt, config}, memory_bytes),
      machine_(config, options, build) {}

void HlsDevice::CheckLaunch(const isa::LaunchRequest& request) const {
  isa::CheckAlignment(machine_.layout().config(), request);
}

isa::LaunchResult HlsDevice::Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                                 std::chrono::nanoseconds limit) {
  machine_.options().time_limit = limit;
  return machine_.Run(request, dram);
}

}  // namespace vta::driver
