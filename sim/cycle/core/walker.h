// The bursts of a transfer, and when each can be asked for.
#pragma once

#include <array>
#include <bit>

#include "isa/config.h"
#include "sim/cycle/core/clock.h"

namespace vta::sim::cycle {

struct Request {
  uint64_t address = 0;  // in the memory
  int64_t beats = 0;
  int64_t ready = kNever;  // the first cycle in which it is asked for
};

/// Rows of a transfer, as vta_bursts walks them, and the bursts that vta_cut makes of them.
/// Units: bytes.
struct Rows {
  uint64_t first = 0;      // address of the first row
  uint64_t stride = 0;     // from row to row
  int64_t bytes = 0;       // of a row
  int64_t count = 0;       // rows
  int64_t last_bytes = 0;  // of the last one
};

class Walker {
 public:
  /// Both are powers of two.
  Walker(int64_t beat_bytes, int64_t burst_beats)
      : beat_bytes_(beat_bytes),
        burst_bytes_(beat_bytes * burst_beats),
        beat_shift_(std::countr_zero(static_cast<uint64_t>(beat_bytes))) {}

  /// The first row can be taken in `take`, each later one `pace` cycles after the one before it.
  /// `serial`: a row waits until AllowRow(), but the first.
  void Start(const Rows& rows, int64_t take, int64_t pace, bool serial);
  /// What is asked for behind this cycle is not.
  void Cancel(int64_t cycle);
  int64_t until() const { return until_; }
  /// The next burst; ready is kNever where there is none, or none is known.
  const Request& next() const { return queue_[0]; }
  /// Returns whether more is known then: last_take(), or busy_until().
  bool Grant(int64_t cycle);
  /// The bursts of all rows before have been asked for and answered.
  void AllowRow(int64_t cycle);

  /// Rows or bursts are left in this cycle.
  bool Busy(int64_t cycle) const { return cycle > started_ && cycle <= busy_until_; }
  int64_t busy_until() const { return busy_until_; }
  /// The cycle in which the last row is taken; kNever until that is known.
  int64_t last_take() const { return last_take_; }
  bool all_granted() const { return queued_ == 0 && row_ == rows_.count && left_ == 0 && !comes_; }
  /// A row waits for AllowRow().
  bool waits() const { return waits_; }
  /// All of the rows before has been asked for, in an earlier cycle.
  bool WaitsForRow(int64_t cycle) const { return waits_ && queued_ == 0 && granted_ < cycle; }

 private:
  void Fill();
  void TakeRow(int64_t cycle);

  int64_t beat_bytes_, burst_bytes_;
  int beat_shift_;
  Rows rows_, coming_;
  int64_t coming_take_ = 0;
  bool comes_ = false;  // another transfer behind this one
  int64_t pace_ = 1;
  bool serial_ = false, waits_ = false;
  int64_t started_ = kLongAgo, busy_until_ = kLongAgo, last_take_ = kLongAgo;
  int64_t until_ = kNever;
  int64_t row_ = 0, taken_ = kLongAgo;  // rows taken, and when the last one was
  uint64_t at_ = 0;                     // the next byte of it
  int64_t left_ = 0;                    // bytes of it
  int64_t pushed_ = kLongAgo;           // the last burst into the queue
  int64_t granted_ = kLongAgo, granted_before_ = kLongAgo;
  std::array<Request, isa::timing::kBurstQueue> queue_;
  int queued_ = 0;
};

}  // namespace vta::sim::cycle
