#include "driver/cycle/cycle_device.h"

#include "isa/register_launch.h"
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
      what_if_(options.what_if),
      now_{.cycle = kFirstCycle} {
  for (const WhatIf& what_if : what_if_)
    what_if_cores_.push_back(std::make_unique<sim::cycle::Core>(what_if.config));
}

void CycleDevice::CheckLaunch(const isa::LaunchRequest& request) const {
  isa::CheckAlignment(*id_.config, request);
}

isa::LaunchResult CycleDevice::Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                                   std::chrono::nanoseconds limit) {
  now_.cycle += kLaunchWrites * kWriteCycles + kStartCycles;
  // The clock first: it reads instructions and micro-ops as they are before the launch.
  sim::Timeline launch;
  const isa::LaunchResult timed = core_.Run(request, dram,
                                            {.timeline = timeline_ ? &launch : nullptr,
                                             .origin = now_,
                                             .causes = true,
                                             .time_limit = limit});
  if (timed.outcome == isa::Outcome::kStopped) {
    now_ = {.cycle = kFirstCycle};
    return timed;
  }
  for (size_t i = 0; i < what_if_.size(); ++i) {
    isa::CheckAlignment(what_if_[i].config, request);
    const isa::LaunchResult other =
        what_if_cores_[i]->Run(request, dram, {.freed = what_if_[i].freed, .time_limit = limit});
    if (other.outcome == isa::Outcome::kStopped) return other;
    what_if_[i].cycles += other.counters.time->cycles;
  }
  if (timeline_) {
    now_ = launch.bus.back();
    sim::Append(*timeline_, launch);
  }
  now_.cycle += kResultReads * kReadCycles - kEndCycles;
  machine_.options().time_limit = limit;
  isa::LaunchResult result = machine_.Run(request, dram);
  if (result.outcome != isa::Outcome::kStopped) {
    result.counters.time = timed.counters.time;
    result.counters.causes = timed.counters.causes;
    result.parts = timed.parts;
  }
  return result;
}

}  // namespace vta::driver
