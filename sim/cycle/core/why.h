// Why the cycles of a launch went by: what its units say of theirs while it runs.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "isa/launch.h"
#include "sim/cycle/core/path.h"
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
  int64_t first = kNever;          // beat, of one that is accepted
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
  /// What it says from this cycle on of cycles before the one that it returns is all said: whether
  /// an instruction comes at all is not known while the unit waits for one.
  int64_t SaidTo(int64_t cycle) const;
  /// The launch ends before this cycle.
  void Close(int64_t end);
  /// Of cycles [begin, end), without a gap; forgets what ends there, and those before.
  std::vector<CauseSlice> Take(int unit, int64_t begin, int64_t end);

 private:
  using Slices = std::vector<CauseSlice>;
  void Add(Slices& slices, int64_t begin, int64_t end, const Reason& reason) const;
  static Slices Painted(const Slices& under, const Slices& over);

  Slices turns_, waits_, works_;
  int64_t taken_ = 0;  // cycles before this one
};

/// The ways of read bursts, by number: in the order in which they were granted.
class Ways {
 public:
  BurstWay& Add() { return ways_.emplace_back(); }
  size_t last() const { return dropped_ + ways_.size() - 1; }
  BurstWay& operator[](size_t number) { return ways_[number - dropped_]; }
  /// What those who wait for the burst wait for; all of it is over of one that was dropped.
  const BurstWay& At(size_t number) const {
    static constexpr BurstWay kOver = {.first = 0};
    return number < dropped_ ? kOver : ways_[number - dropped_];
  }
  /// Forgets bursts whose first beat nobody waits for in this cycle or later.
  void DropBefore(int64_t cycle);

 private:
  std::deque<BurstWay> ways_;
  size_t dropped_ = 0;
};

/// Of all units, where somebody asked.
class Why {
 public:
  std::array<Record, isa::kUnits> units;
  Ways ways;

  /// Keeps of the next parts, which end before these cycles, only how often each cause was and
  /// which ways the critical path may take.
  void Settle(std::span<const int64_t> ends);
  /// How many parts are settled.
  int64_t settled() const { return std::ssize(causes_); }
  /// Settles the last parts: the launch ends before the last of these cycles. Appends what they
  /// hold to the timeline, by units of isa::kUnits, if there is one; `insns`: for that, those that
  /// were handed on, by index. Returns the causes of each part.
  std::vector<isa::Causes> Take(std::span<const int64_t> ends, std::span<const Insn* const> insns,
                                int64_t token_capacity, Timeline* timeline);

 private:
  // Settled parts: the first of them, and the path from each unit at their end.
  struct Settled {
    size_t first;
    std::array<Path, isa::kUnits> paths;
  };
  UnitSlices TakeSlices(std::span<const int64_t> ends);
  void AddPath(size_t first, const Path& path);

  std::vector<isa::Causes> causes_;  // of settled parts
  std::vector<Settled> settled_;
  int64_t begin_ = 1;  // of the others
};

}  // namespace vta::sim::cycle
