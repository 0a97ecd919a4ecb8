#include "runtime/step_clock.h"

#include "isa/support/error.h"
#include "runtime/cpu_features.h"

namespace vta::runtime {

std::chrono::nanoseconds StepClock::TimeOf(const StepProfile& step) const {
  if (kind != TimeKind::kModelled || !step.counters.time) return step.wall;
  return std::chrono::nanoseconds(step.counters.time->cycles * 1000 / mhz);
}

std::chrono::nanoseconds StepClock::TimeOf(const RunProfile& run) const {
  if (kind != TimeKind::kModelled) return run.wall;
  std::chrono::nanoseconds time{};
  for (const StepProfile& step : run.steps) time += TimeOf(step);
  return time;
}

std::string StepClock::Text() const {
  switch (kind) {
    case TimeKind::kWall:
      return "wall time";
    case TimeKind::kModelled:
      return StrCat("cycles at ", mhz, " MHz, kernels by the clock of this machine (", kBuildArch,
                    ")");
    case TimeKind::kSimulation:
      break;
  }
  return "wall time of the simulation";
}

StepClock ClockOf(const isa::Package& package, const driver::DeviceId* device) {
  if (!device || !device->is_simulated) return {};
  if (!device->timing_hash) return {TimeKind::kSimulation};
  return {TimeKind::kModelled, package.config->uarch.clock_mhz};
}

}  // namespace vta::runtime
