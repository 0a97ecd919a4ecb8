#include "sim/cycle/core/walker.h"

#include "isa/register_launch.h"

namespace vta::sim::cycle {

using isa::kAddressMask;

void Walker::Start(const Rows& rows, int64_t take, int64_t pace, bool serial) {
  coming_ = rows, coming_take_ = take, comes_ = true;
  pace_ = pace, serial_ = serial, waits_ = false;
  started_ = take - isa::timing::kFirstRowCycles;
  busy_until_ = last_take_ = kNever;
  until_ = kNever;
  Fill();
}

void Walker::TakeRow(int64_t cycle) {
  taken_ = cycle;
  const uint64_t address =
      (rows_.first + static_cast<uint64_t>(row_) * rows_.stride) & kAddressMask;
  ++row_;
  const uint64_t low = address & static_cast<uint64_t>(beat_bytes_ - 1);
  const int64_t bytes =
      (row_ == rows_.count ? rows_.last_bytes : rows_.bytes) + static_cast<int64_t>(low);
  at_ = address - low;
  left_ = (bytes + beat_bytes_ - 1) & -beat_bytes_;
  if (row_ == rows_.count) last_take_ = cycle;
}

// Takes rows as soon as the bursts of the one before are made, and puts bursts into the queue of
// two as soon as there is a place.
void Walker::Fill() {
  for (;;) {
    if (left_ == 0) {
      if (row_ == rows_.count) {
        if (!comes_) return;
        // The first row of the next transfer.
        rows_ = coming_, row_ = 0, comes_ = false;
        TakeRow(std::max(coming_take_, pushed_));
      } else if (serial_) {
        waits_ = true;
        return;
      } else {
        TakeRow(std::max(taken_ + pace_, pushed_));
      }
    }
    if (queued_ == isa::timing::kBurstQueue) return;
    const int64_t inside = static_cast<int64_t>(at_) & (burst_bytes_ - 1);
    const int64_t bytes = std::min(left_, burst_bytes_ - inside);
    // A place is free in the cycle after the burst two before was asked for.
    const int64_t place = queued_ == 0 ? granted_before_ : granted_;
    const int64_t pushed = std::max({pushed_ + 1, taken_ + 1, place + 1});
    // Behind the first, once that is gone: Grant().
    const int64_t ready = queued_ == 0 ? std::max(pushed, granted_) + 1 : pushed + 1;
    queue_[queued_] = {at_, bytes >> beat_shift_, ready};
    pushed_ = pushed;
    at_ = (at_ + static_cast<uint64_t>(bytes)) & kAddressMask;
    left_ -= bytes;
    ++queued_;
  }
}

bool Walker::Grant(int64_t cycle) {
  const int64_t last_take = last_take_, busy_until = busy_until_;
  granted_before_ = granted_;
  granted_ = cycle;
  queue_[0] = queue_[1];
  queue_[1] = {};
  --queued_;
  if (queued_ > 0) queue_[0].ready = std::max(queue_[0].ready, cycle + 1);
  Fill();
  if (all_granted()) busy_until_ = std::min(busy_until_, cycle);
  return last_take_ != last_take || busy_until_ != busy_until;
}

void Walker::AllowRow(int64_t cycle) {
  waits_ = false;
  TakeRow(std::max(taken_ + pace_, cycle));
  Fill();
}

void Walker::Cancel(int64_t cycle) {
  until_ = cycle;
  busy_until_ = std::min(busy_until_, cycle);
  waits_ = false;
}

}  // namespace vta::sim::cycle
