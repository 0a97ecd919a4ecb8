// What the time of a step is: wall time, or the cycles of a simulated accelerator at its clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "driver/device.h"
#include "isa/package.h"
#include "runtime/session.h"

namespace vta::runtime {

enum class TimeKind : uint8_t {
  kWall,        // of a board, or of this machine's kernels
  kModelled,    // of programs, a simulator's cycles at the clock that the package's config names;
                // of kernels, wall time of this machine, which need not be the board's
  kSimulation,  // wall time of a simulator that counts no cycles
};

struct StepClock {
  TimeKind kind = TimeKind::kWall;
  int64_t mhz = 0;  // of kModelled

  std::chrono::nanoseconds TimeOf(const StepProfile& step) const;
  /// Of all steps of a run, copies left out where time is modelled.
  std::chrono::nanoseconds TimeOf(const RunProfile& run) const;
  /// "cycles at 100 MHz, kernels by the clock of this machine (x86_64)"
  std::string Text() const;
};

/// `device` is null for a package without programs.
StepClock ClockOf(const isa::Package& package, const driver::DeviceId* device);

}  // namespace vta::runtime
