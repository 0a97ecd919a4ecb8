// The kernels of hw/hls as a device.
#pragma once

#include "driver/simulated/simulated_device.h"
#include "sim/hls/machine.h"

namespace vta::driver {

class HlsDevice : public SimulatedDevice {
 public:
  /// Compiles the kernels first if it has to. Errors: as sim::HlsMachine.
  explicit HlsDevice(const isa::Config& config, int64_t memory_bytes = kSimulatedMemoryBytes,
                     const sim::HlsOptions& options = {}, const sim::HlsBuild& build = {});

  sim::HlsMachine& machine() { return machine_; }

 private:
  isa::LaunchResult Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                        std::chrono::nanoseconds limit) override;
  void CheckLaunch(const isa::LaunchRequest& request) const override;

  sim::HlsMachine machine_;
};

}  // namespace vta::driver
