#include "driver/cycle/cycle_device.h"

#include "isa/gen/systemverilog.h"
#include "isa/spec/registers.h"

namespace vta::driver {
namespace {

// What driver/rtl and its machine do before, between and behind launches, in cycles of the RTL's
// register port.
constexpr int64_t kReadCycles = 4, kWriteCycles = 3;
constexpr int64_t kResetCycles = 3;
constexpr int64_t kIdReads = 5;
constexpr int64_t kLaunchWrites = 2 + 1 + 2 * isa::kBaseRegisters + 3;
constexpr int64_t kResultReads =
    1 + isa::kHardwareUnits * isa::kModuleRegisters + 2 * isa::kHardwareCounters;
// From the last write to the start, and from the interrupt to the end that the timeline shows.
constexpr int64_t kStartCycles = 1, kEndCycles = 2;

constexpr int64_t kFirstCycle = kResetCycles + kIdReads * kReadCycles;

}  // namespace

CycleDevice::CycleDevice(const isa::Config& config, const CycleOptions& options)
    : SimulatedDevice({"cycle", isa::ArchHash(config), isa::TimingHash(config), config},
                      options.memory_bytes),
      machine_(config),
      core_(config),
      timeline_(options.timeline),
      now_{.cycle = kFirstCycle} {}

void CycleDevice::CheckLaunch(const isa::LaunchRequest& request) const {
  isa::CheckAlignment(*id_.config, request);
}

isa::LaunchResult CycleDevice::Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                                   std::chrono::nanoseconds limit) {
  now_.cycle += kLaunchWrites * kWriteCycles + kStartCycles;
  // The clock first: it reads instructions and micro-ops as they are before the launch.
  const isa::LaunchResult timed =
      core_.Run(request, dram, {.timeline = timeline_, .origin = now_, .time_limit = limit});
  if (timed.outcome == isa::Outcome::kStopped) {
    now_ = {.cycle = kFirstCycle};
    return timed;
  }
  if (timeline_) now_ = timeline_->bus.back();
  now_.cycle += kResultReads * kReadCycles - kEndCycles;
  machine_.options().time_limit = limit;
  isa::LaunchResult result = machine_.Run(request, dram);
  if (result.outcome != isa::Outcome::kStopped) result.counters.time = timed.counters.time;
  return result;
}

}  // namespace vta::driver
