#include "driver/cycle/cycle_device.h"

#include "isa/gen/systemverilog.h"

namespace vta::driver {

CycleDevice::CycleDevice(const isa::Config& config, int64_t memory_bytes)
    : SimulatedDevice({"cycle", isa::ArchHash(config), isa::TimingHash(config), config},
                      memory_bytes),
      machine_(config),
      core_(config) {}

void CycleDevice::CheckLaunch(const isa::LaunchRequest& request) const {
  isa::CheckAlignment(*id_.config, request);
}

isa::LaunchResult CycleDevice::Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                                   std::chrono::nanoseconds limit) {
  // The clock first: it reads instructions and micro-ops as they are before the launch.
  const isa::LaunchResult timed = core_.Run(request, dram, {.time_limit = limit});
  if (timed.outcome == isa::Outcome::kStopped) return timed;
  machine_.options().time_limit = limit;
  isa::LaunchResult result = machine_.Run(request, dram);
  if (result.outcome != isa::Outcome::kStopped) result.counters.time = timed.counters.time;
  return result;
}

}  // namespace vta::driver
