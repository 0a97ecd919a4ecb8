// The cycle model: what a launch does to time, equal to the RTL's to the cycle, without its data.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>

#include "isa/launch.h"
#include "sim/cycle/core/foreign.h"
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

  /// What the RTL's observer says of the launch is appended there. Without one, what was said of a
  /// part of the launch is forgotten when that has ended. Borrowed.
  Timeline* timeline = nullptr;
  /// The cycle in which CONTROL.start is accepted, and the bytes moved before: where it starts.
  BusSample origin;
  /// Find out why the cycles went by: Counters::causes, and the timeline's.
  bool causes = false;
  /// Wall time, after which the launch is stopped.
  std::chrono::nanoseconds time_limit = std::chrono::nanoseconds::max();
};

class Core {
 public:
  /// Errors: as RequireModelled.
  explicit Core(const isa::Config& config);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Runs a launch on a memory as it is when the launch starts: instructions and micro-ops are read
  /// there, nothing is written. The micro-op memory keeps what it loads. Addresses keep the rules
  /// of isa::CheckAlignment.
  isa::LaunchResult Run(const isa::LaunchRequest& request, std::span<const uint8_t> dram,
                        const CoreOptions& options = {});

  /// The same in steps, in which bursts may go to a memory of somebody else instead of our own;
  /// then causes are not known. `dram` holds what instructions and micro-ops are read from.
  enum class Behind : uint8_t { kOwnMemory, kForeignMemory };
  void Begin(const isa::LaunchRequest& request, std::span<const uint8_t> dram, Behind behind,
             const CoreOptions& options = {});
  /// Evaluates the cycles before this one, and returns the cycle in which the launch ends, or
  /// kNever as long as that is not known. Errors: throws Stopped when the time is up.
  int64_t RunTo(int64_t cycle);
  /// The next cycle in which something changes, if no answer of the memory comes before; kNever
  /// where it waits for one.
  int64_t Next() const;
  /// What the launch came to, once its end is known.
  isa::LaunchResult End();
  /// How often one of fetch, the modules, and the masters of the bus was looked at in the launch
  /// that ended last.
  int64_t evaluations() const { return evaluations_; }

  /// For a foreign memory, between steps: the next burst that was offered up to here,
  std::optional<Offer> TakeOffer();
  /// and what the memory says of one. Returns the cycle of the last beat of a burst that begins.
  int64_t Give(const Answer& answer);

 private:
  class Launch;
  std::unique_ptr<Launch> MakeLaunch();
  int64_t RunSlowly();

  isa::Layout layout_;
  Uops uops_;
  Insns insns_;  // of the launch
  isa::LaunchRequest request_;
  std::span<const uint8_t> dram_;
  Behind behind_ = Behind::kOwnMemory;
  CoreOptions options_;
  Deadline deadline_ = Deadline::max();
  std::unique_ptr<Launch> launch_;
  int64_t evaluated_ = 0, end_ = kNever;
  int64_t evaluations_ = 0;
  struct Given {
    int64_t at;  // before the evaluation of this cycle
    Answer answer;
  };
  std::vector<Given> given_;
};

}  // namespace vta::sim::cycle
