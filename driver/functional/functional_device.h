// The functional simulator as a device.
#pragma once

#include "driver/simulated/simulated_device.h"
#include "sim/functional/machine.h"

namespace vta::driver {

struct FunctionalOptions {
  int64_t memory_bytes = kSimulatedMemoryBytes;
  sim::MachineOptions machine;
};

class FunctionalDevice : public SimulatedDevice {
 public:
  explicit FunctionalDevice(const isa::Config& config, const FunctionalOptions& options = {});

  sim::Machine& machine() { return machine_; }

 private:
  isa::LaunchResult Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                        std::chrono::nanoseconds limit) override;

  sim::Machine machine_;
};

}  // namespace vta::driver
