// The read master: which client's burst is asked for when, when its beats come, and when they are
// taken.
#pragma once

#include <vector>

#include "sim/cycle/core/foreign.h"
#include "sim/cycle/core/walker.h"
#include "sim/cycle/core/why.h"
#include "sim/memory/dram.h"

namespace vta::sim::cycle {

class Trace;

/// Bursts that the memory holds, reads and writes.
class Outstanding {
 public:
  explicit Outstanding(int64_t limit) : limit_(limit) {}
  /// Places that are free in this cycle, before what is accepted in it.
  int64_t Free(int64_t cycle);
  /// `unit`: of isa::kUnits, whose burst it is.
  void Accept(int64_t cycle, int unit) {
    held_.Add(cycle, 1);
    last_unit_ = unit;
  }
  int last_unit() const { return last_unit_; }
  void EndRead(int64_t cycle) { reads_.push_back(cycle); }
  void EndWrite(int64_t cycle) { writes_.push_back(cycle); }
  /// The first cycle after this one in which one more is free, as far as is known.
  int64_t NextFree() const;

 private:
  int64_t limit_;
  Counter held_;
  int last_unit_ = 0;
  // Last cycles, of those not ended in the last cycle asked for.
  Ring<int64_t> reads_, writes_;
};

/// What takes beats as soon as it is known when they come.
class Taker {
 public:
  virtual ~Taker() = default;
  /// Takes the beats that are known. Returns the first cycle in which that changes something for
  /// its module, if it is known.
  virtual int64_t Take() = 0;
};

/// The beats of one client: come, and are taken.
class Beats {
 public:
  Beats(int64_t interval, int64_t words, int64_t bursts, int64_t longest)
      : interval_(interval), words_(words), bursts_(bursts), longest_(longest) {}

  // Room, for the arbiter.
  /// The first cycle, not before `cycle`, in which the longest burst has room; kNever if not known.
  int64_t Room(int64_t cycle);
  void Grant(int64_t cycle, int64_t beats);
  /// The burst granted first that is not here yet: its first beat.
  /// `way`: of the burst, where ways are kept.
  void Arrive(int64_t first, int64_t beats, bool error, size_t way);
  /// No burst is owed from this cycle on; kNever where one has no end yet.
  int64_t IdleFrom() const;

  /// Who takes the beats from now on. Borrowed.
  void set_taker(Taker* taker) { taker_ = taker; }
  Taker* taker() const { return taker_; }

  // Words, for the client. Beats are taken in order.
  bool known() const { return !runs_.empty(); }
  bool error() const { return runs_.front().error; }
  size_t way() const { return runs_.front().way; }
  /// The first cycle in which the next word can be popped.
  int64_t Ready() const { return FifoReady(runs_.front().first, popped_); }
  void Pop(int64_t cycle);
  /// Pops up to `most` words as soon as they are there, the first one not before `from`: those of
  /// one burst that are popped at one pace. One is known.
  struct Pops {
    int64_t first, count, step;
  };
  Pops PopSome(int64_t from, int64_t most);
  int64_t popped() const { return popped_; }

 private:
  struct Run {
    int64_t first, count;  // first beat that is left; and how many
    bool error;
    size_t way;
  };
  Pops Popped(int64_t first, int64_t count, int64_t step);
  int64_t PopTime(int64_t word) const;

  int64_t interval_, words_, bursts_, longest_;
  Taker* taker_ = nullptr;
  Ring<Run> runs_;
  int64_t popped_ = kLongAgo;
  // Room.
  int64_t reserved_ = 0, granted_ = 0, last_grant_ = kLongAgo, last_beats_ = 0;
  std::vector<int64_t> ends_;  // of bursts
  Ring<Pops> pops_;
  int64_t pops_before_ = 0;  // words popped before pops_
};

class Reads {
 public:
  /// `foreign`: the memory, in place of `dram`; or null. Then nobody asks why.
  Reads(const isa::Config& config, uint64_t memory_bytes, DramTiming& dram,
        Outstanding& outstanding, Foreign* foreign, Schedule& schedule, Why* why);

  Beats& beats(int client) { return beats_[static_cast<size_t>(client)]; }
  Walker& walker(int client) { return walkers_[static_cast<size_t>(client)]; }
  /// Fetch, compute, load: lowest first.
  static constexpr int kFetch = 0, kCompute = 1, kLoad = 2, kClients = 3;

  /// Where each burst goes, too. Borrowed.
  void set_trace(Trace* trace) { trace_ = trace; }
  /// Of the burst with this number, where somebody asked why.
  const BurstWay& way(size_t index) const { return why_->ways.At(index); }

  int64_t Evaluate(int64_t cycle);
  /// The beats of a client's next burst, who looks at them from the cycle `known` on.
  void Arrive(int client, int64_t first, int64_t beats, bool refused, size_t way, int64_t known);
  /// A burst is on AR in this cycle.
  bool address_valid(int64_t cycle) const {
    return (valid_ && valid_from_ <= cycle) || accepted_ == cycle;
  }
  /// Nothing is owed, from this cycle on.
  int64_t IdleFrom() const;

 private:
  void Accept(int64_t cycle);
  void RecordGrant(int client, int64_t asked, int64_t cycle);

  int64_t beat_bytes_;
  uint64_t memory_bytes_;
  DramTiming& dram_;
  Outstanding& outstanding_;
  Foreign* foreign_;
  Schedule& schedule_;
  Why* why_;  // or null
  std::vector<Beats> beats_;
  std::vector<Walker> walkers_;
  bool valid_ = false;  // AR
  int64_t valid_from_ = 0, accepted_ = kLongAgo;
  int client_ = 0;
  Request burst_;
  Trace* trace_ = nullptr;
};

}  // namespace vta::sim::cycle
