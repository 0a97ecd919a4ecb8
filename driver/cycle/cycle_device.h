// The cycle model as a device: the functional engine's values, in the time of the RTL.
#pragma once

#include "driver/simulated/simulated_device.h"
#include "sim/cycle/core/core.h"
#include "sim/functional/machine.h"

namespace vta::driver {

class CycleDevice : public SimulatedDevice {
 public:
  explicit CycleDevice(const isa::Config& config, int64_t memory_bytes = kSimulatedMemoryBytes);

 protected:
  isa::LaunchResult Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                        std::chrono::nanoseconds limit) override;

 private:
  void CheckLaunch(const isa::LaunchRequest& request) const override;

  sim::Machine machine_;
  sim::cycle::Core core_;
};

}  // namespace vta::driver
