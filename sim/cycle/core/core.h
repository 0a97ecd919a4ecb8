// The cycle model: what a launch does to time, equal to the RTL's to the cycle, without its data.
#pragma once

#include <chrono>
#include <span>

#include "isa/launch.h"
#include "sim/cycle/core/unit.h"
#include "sim/trace/timeline.h"

namespace vta::sim::cycle {

/// What costs no time, to see what it costs: such a launch is nobody's, its cycles are a bound.
struct Freed {
  bool tokens = false;  // no module waits for tokens, or for space
  bool uops = false;    // a LOAD of micro-ops moves nothing
};

struct CoreOptions {
  Freed freed;

  /// The slices of the instructions that end are appended there, in cycles since the start of the
  /// launch. Borrowed.
  Timeline* timeline = nullptr;
  /// Find out why the cycles went by: Counters::causes, and the timeline's.
  bool causes = false;
  /// Wall time, after which the launch is stopped.
  std::chrono::nanoseconds time_limit = std::chrono::nanoseconds::max();
};

class Core {
 public:
  explicit Core(const isa::Config& config);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Runs a launch on a memory as it is when the launch starts: instructions and micro-ops are read
  /// there, nothing is written. The micro-op memory keeps what it loads. Addresses keep the rules
  /// of isa::CheckAlignment.
  isa::LaunchResult Run(const isa::LaunchRequest& request, std::span<const uint8_t> dram,
                        const CoreOptions& options = {});

 private:
  isa::Layout layout_;
  Uops uops_;
};

}  // namespace vta::sim::cycle
