// The DRAM timing model, the only one: when the beats of an accepted burst can move. The cycle
// model and the RTL bench both use it.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/config.h"

namespace vta::sim {

/// Whether the memory refuses a burst: some of it lies outside. Units: bytes.
constexpr bool IsRefused(uint64_t memory_bytes, uint64_t address, int64_t bytes) {
  return address > memory_bytes || static_cast<uint64_t>(bytes) > memory_bytes - address;
}

/// The cycles of a burst's first and last beat.
struct BurstTiming {
  int64_t first = 0, last = 0;
  bool operator==(const BurstTiming&) const = default;
};

/// One channel serves reads and writes in the order in which they are accepted (a read before a
/// write of the same cycle) at `bytes_per_cycle`: a burst takes it for its bytes' time, in whole
/// cycles. A beat moves no earlier than `interval()` cycles after the one before it.
///
/// Rows of `row_bytes` lie over the banks in turn, and a bank keeps the last one open that a burst
/// touched. A burst waits `row_miss_cycles` for each row of its own that is not open, after the
/// beats of earlier bursts to that bank; other banks move theirs meanwhile. At first no row is
/// open. Each launch has a timing of its own, so its cycles are a function of the launch, of the
/// config, and of where in rows and pages its addresses lie.
class DramTiming {
 public:
  DramTiming(const isa::Memory& memory, int64_t beat_bytes);

  /// A read burst accepted in cycle `cycle`: its first beat comes read_latency_cycles later at the
  /// earliest, after the beats of all earlier reads.
  BurstTiming Read(int64_t cycle, uint64_t address, int64_t beats);
  /// A write burst accepted in cycle `cycle`: when its beats can be taken at the earliest.
  BurstTiming Write(int64_t cycle, uint64_t address, int64_t beats);
  /// The cycle of the response to a write burst whose last beat was taken in `cycle`.
  int64_t Response(int64_t cycle) const { return cycle + 1 + memory_.write_latency_cycles; }

  /// The cycles in which rows of the last burst were opened, if it waited for any.
  struct Opening {
    int64_t begin = 0, end = 0;
  };
  const Opening& last_opening() const { return last_opening_; }
  int64_t read_latency() const { return memory_.read_latency_cycles; }
  /// Cycles from beat to beat of one burst.
  int64_t interval() const { return interval_; }
  /// Bursts, reads and writes together, that may be accepted and not ended.
  int64_t outstanding() const { return memory_.outstanding; }

 private:
  struct Bank {
    int64_t row = -1;  // that is open
    int64_t free = 0;  // cycle after its last beat
  };
  int64_t OpenRows(int64_t earliest, int64_t first_row, int64_t last_row);
  BurstTiming Place(int64_t earliest, uint64_t address, int64_t beats, int64_t& direction_free);

  isa::Memory memory_;
  int64_t beat_bytes_, interval_;
  uint32_t rate_;  // bytes_per_cycle
  int row_shift_;  // logarithm of row_bytes
  Opening last_opening_;
  int64_t channel_free_ = 0, read_free_ = 0, write_free_ = 0;  // cycles
  std::vector<Bank> banks_;
};

}  // namespace vta::sim
