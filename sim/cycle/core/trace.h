// What a launch leaves behind for a timeline: that which the RTL's trace ports say of it, slice by
// slice (sim/rtl/observer.h).
#pragma once

#include <array>
#include <vector>

#include "sim/cycle/core/module.h"
#include "sim/trace/timeline.h"

namespace vta::sim::cycle {

/// Filled while a launch runs, in its cycles.
class Trace {
 public:
  explicit Trace(int64_t beat_bytes) : beat_bytes_(beat_bytes) {}

  /// The beats of a burst move from `first` on, every `interval` cycles.
  void Read(int64_t first, int64_t beats, int64_t interval) {
    reads_.push_back({first, beats, interval});
  }
  /// Those of a write. The register in front of W takes the first one in `loaded`, and each other
  /// when the one before it moves.
  void Write(int64_t loaded, int64_t first, int64_t beats, int64_t interval);
  /// Where a module says what it does; when a STORE waits for memory, its beats say.
  Past& past(isa::Module module) { return past_[static_cast<size_t>(module)]; }

  /// The launch's part of a timeline. `end`: CYCLES; `origin`: the cycle since power-on in which
  /// CONTROL.start was accepted, and the bytes moved before.
  void AddTo(Timeline& timeline, uint64_t instruction_address, int64_t end,
             const BusSample& origin);

 private:
  struct Beats {
    int64_t first, count, interval;
  };
  class BeatCount;
  void AddStoreWaits();
  void AddInstructions(Timeline& timeline, uint64_t instruction_address, int64_t origin) const;
  void AddStalls(Timeline& timeline, int64_t origin);
  void AddBus(Timeline& timeline, int64_t end, const BusSample& origin) const;

  int64_t beat_bytes_;
  std::vector<Beats> reads_, writes_;
  std::vector<Beats> loaded_;  // into the register in front of W
  std::array<Past, isa::kModules> past_;
};

}  // namespace vta::sim::cycle
