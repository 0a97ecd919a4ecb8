// The cycle model as a device: the functional engine's values, in the time of the RTL.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "driver/simulated/simulated_device.h"
#include "sim/cycle/core/core.h"
#include "sim/functional/machine.h"

namespace vta::driver {

/// Another clock for the same launches.
struct WhatIf {
  isa::Config config;  // of equal arch
  sim::cycle::Freed freed;
  int64_t cycles = 0;  // of the launches so far
};

struct CycleOptions {
  int64_t memory_bytes = kSimulatedMemoryBytes;
  /// Launches that end are added to it, as RtlOptions::timeline gets them: in the cycles since
  /// power-on that the RTL's launches would have. Borrowed.
  sim::Timeline* timeline = nullptr;
  /// Clocks that run beside. Borrowed.
  std::span<WhatIf> what_if;
};

/// Its counters say why their cycles went by.
class CycleDevice : public SimulatedDevice {
 public:
  explicit CycleDevice(const isa::Config& config, const CycleOptions& options = {});

 protected:
  isa::LaunchResult Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                        std::chrono::nanoseconds limit) override;

 private:
  void CheckLaunch(const isa::LaunchRequest& request) const override;

  sim::Machine machine_;
  sim::cycle::Core core_;
  sim::Timeline* timeline_;
  std::span<WhatIf> what_if_;
  std::vector<std::unique_ptr<sim::cycle::Core>> what_if_cores_;
  sim::BusSample now_;  // when the RTL's host would begin with the next launch
};

}  // namespace vta::driver
