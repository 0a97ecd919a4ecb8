// Why the cycles of a launch went by: what its units say of theirs while it runs.
#pragma once

#include <span>
#include <vector>

#include "isa/launch.h"
#include "sim/cycle/core/stream.h"
#include "sim/memory/dram.h"
#include "sim/trace/timeline.h"

namespace vta::sim::cycle {

struct Reason {
  isa::Cause cause = isa::Cause::kNothing;
  int64_t index = -1;                             // of the instruction
  isa::Queue queue = isa::Queue::kLoadToCompute;  // of kToken and kSpace
  int by = -1;                                    // of kContention
};

/// The way of a burst: what those wait for who wait for its beats. Cycles.
struct BurstWay {
  int unit = 0;
  int64_t asked = 0;               // by the walker
  int64_t room = 0;                // in the client's buffer
  int64_t granted = 0;             // it is on the bus in the next cycle
  int64_t accepted = 0;            // by the memory
  int64_t latency = 0;             // of the memory, from the cycle after that
  DramTiming::Opening opening;     // its rows
  int64_t first = 0;               // beat
  int grant_by = 0, beats_by = 0;  // the units whose bursts were before
};

/// What a unit says of its cycles.
class Record {
 public:
  /// From this cycle on, up to that of the next call.
  void Turn(int64_t cycle, const Reason& reason);
  /// In [begin, end), whatever turn it is: where something was waited for, and where work was done,
  /// which goes before. Each in the order of their begins; they may overlap.
  void Wait(int64_t begin, int64_t end, const Reason& reason) { Add(waits_, begin, end, reason); }
  void Work(int64_t begin, int64_t end, int64_t index) {
    Add(works_, begin, end, {isa::Cause::kBusy, index});
  }
  /// A wait for beats of a burst.
  void WaitForBurst(int64_t begin, int64_t end, const BurstWay& way, int64_t index);
  /// Of cycles [1, end), without a gap; forgets all.
  std::vector<CauseSlice> Take(int unit, int64_t end);

 private:
  using Slices = std::vector<CauseSlice>;
  static void Add(Slices& slices, int64_t begin, int64_t end, const Reason& reason);
  static Slices Painted(const Slices& under, const Slices& over);

  Slices turns_, waits_, works_;
};

/// Of all units, where somebody asked.
struct Why {
  std::array<Record, isa::kUnits> units;
  std::vector<BurstWay> ways;  // of read bursts, in the order in which they were granted

  /// Appends the slices of units of isa::kUnits to the timeline, if there is one.
  /// `insns`: those that were handed on, by index. Returns the causes of each of the parts that end
  /// before these cycles, the last of which is the launch's end.
  std::vector<isa::Causes> Take(std::span<const int64_t> ends, std::span<const Insn* const> insns,
                                int64_t token_capacity, Timeline* timeline);
};

}  // namespace vta::sim::cycle
