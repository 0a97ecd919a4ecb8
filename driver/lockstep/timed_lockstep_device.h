// The RTL beside all that the cycle engine says: the golden model's values, instruction by
// instruction, and the cycle model's start and end of each.
#pragma once

#include "driver/lockstep/lockstep_device.h"
#include "sim/cycle/core/core.h"

namespace vta::driver {

class TimedLockstepDevice : public LockstepDevice {
 public:
  /// `options.timeline` gets the RTL's. Errors: as sim::BuildModel.
  explicit TimedLockstepDevice(const isa::Config& config,
                               int64_t memory_bytes = kSimulatedMemoryBytes,
                               const sim::RtlOptions& options = {},
                               const sim::ModelOptions& model = {});

 private:
  /// Errors: as LockstepDevice; and throws Error that names the first instruction that starts or
  /// ends in another cycle: its module, index, address and text, both cycles, the rule of
  /// isa/spec/timing.h.
  isa::LaunchResult Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                        std::chrono::nanoseconds limit) override;

  sim::cycle::Core core_;
  sim::Timeline* timeline_;
};

}  // namespace vta::driver
