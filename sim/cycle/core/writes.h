// The write master: when the bursts of STOREs are asked for, sent and answered.
#pragma once

#include "sim/cycle/core/reads.h"

namespace vta::sim::cycle {

class Writes {
 public:
  Writes(const isa::Config& config, uint64_t memory_bytes, DramTiming& dram,
         Outstanding& outstanding, Foreign* foreign, const Reads& reads, Schedule& schedule,
         Record* record);

  Walker& walker() { return walker_; }
  /// Where each burst goes, too. Borrowed.
  void set_trace(Trace* trace) { trace_ = trace; }
  int64_t Evaluate(int64_t cycle);
  /// The beats of the next burst, whose address was taken in the cycle `accepted`, can be taken
  /// from `first` on. Returns the cycle in which the last one is.
  int64_t Send(int64_t accepted, int64_t first);
  /// The next burst that was sent is answered, in this cycle or, behind the one before it, later.
  /// Returns the cycle.
  int64_t Answer(int64_t cycle, bool refused);
  /// Nothing is owed from this cycle on; kNever where an answer is not known.
  int64_t IdleFrom() const;
  /// An answer said that a burst was refused, from this cycle on; kNever: none.
  int64_t error_from() const { return error_from_; }
  void ClearError() { error_from_ = kNever; }
  /// Beats of the STORE that began last: whether there are any, and how many were loaded in cycles
  /// [begin, end) into the register in front of W, which takes the first of a burst when it may and
  /// each other one when the one before it moves.
  void BeginStore(int64_t index) { loads_.clear(), index_ = index; }
  bool HasSent() const { return !loads_.empty(); }
  int64_t Loaded(int64_t begin, int64_t end) const;
  /// The cycle in which its last beat is taken.
  int64_t last_taken() const { return taken_last_; }
  /// Since the launch began, refused ones not counted. Units: bytes.
  int64_t written_bytes() const { return written_beats_ * beat_bytes_; }

 private:
  struct Burst {
    Request request;
    int64_t granted;
    int64_t answered = kNever;
  };
  struct Loads {
    int64_t first, others, count;  // cycles of the first one and of the first of the others
  };
  void Accept(int64_t cycle);
  void RecordBurst(int64_t accepted, int64_t loaded, int64_t first, int64_t last) const;

  int64_t beat_bytes_;
  uint64_t memory_bytes_;
  DramTiming& dram_;
  Outstanding& outstanding_;
  Foreign* foreign_;
  const Reads& reads_;
  Schedule& schedule_;
  Record* record_;  // of the store module, or null
  Walker walker_;
  Ring<Burst> bursts_;  // granted and, in the last cycle asked for, not answered
  size_t sent_bursts_ = 0, answered_bursts_ = 0;  // of those
  bool valid_ = false;                            // AW: of the last burst
  int64_t valid_from_ = 0;
  int64_t taken_last_ = kLongAgo, answered_last_ = kLongAgo;  // of the burst before
  int64_t error_from_ = kNever;
  std::vector<Loads> loads_;  // of each burst of the STORE that began last
  int64_t written_beats_ = 0, index_ = 0;
  Trace* trace_ = nullptr;
};

}  // namespace vta::sim::cycle
