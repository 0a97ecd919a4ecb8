// The RTL in Verilator as a device.
#pragma once

#include "driver/simulated/simulated_device.h"
#include "sim/rtl/machine.h"

namespace vta::driver {

class RtlDevice : public SimulatedDevice {
 public:
  /// Builds the model first if it has to.
  /// Errors: as sim::BuildModel.
  explicit RtlDevice(const isa::Config& config, int64_t memory_bytes = kSimulatedMemoryBytes,
                     const sim::RtlOptions& options = {}, const sim::ModelOptions& model = {});

  std::optional<uint32_t> ReadRegister(isa::Register first, int64_t word = 0) override;

  sim::RtlMachine& machine() { return machine_; }

 protected:
  isa::LaunchResult Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                        std::chrono::nanoseconds limit) override;

 private:
  void CheckLaunch(const isa::LaunchRequest& request) const override;

  sim::RtlMachine machine_;
};

}  // namespace vta::driver
