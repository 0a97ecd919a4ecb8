#include "sim/memory/dram.h"

#include <algorithm>
#include <bit>

namespace vta::sim {

DramTiming::DramTiming(const isa::Memory& memory, int64_t beat_bytes)
    : memory_(memory),
      beat_bytes_(beat_bytes),
      interval_(std::max<int64_t>(1, beat_bytes / memory.bytes_per_cycle)),
      rate_(static_cast<uint32_t>(memory.bytes_per_cycle)),
      row_shift_(std::countr_zero(static_cast<uint64_t>(memory.row_bytes))),
      banks_(memory.banks) {}

// The earliest cycle for a burst's first beat, once its rows are open.
int64_t DramTiming::OpenRows(int64_t earliest, int64_t first_row, int64_t last_row) {
  int64_t misses = 0;
  for (int64_t row = first_row; row <= last_row; ++row) {
    const Bank& bank = banks_[row & (memory_.banks - 1)];
    if (bank.row == row) continue;
    earliest = std::max(earliest, bank.free);
    ++misses;
  }
  last_opening_ = {earliest, earliest + misses * memory_.row_miss_cycles};
  return last_opening_.end;
}

BurstTiming DramTiming::Place(int64_t earliest, uint64_t address, int64_t beats,
                              int64_t& direction_free) {
  const auto row_of = [&](uint64_t at) { return static_cast<int64_t>(at >> row_shift_); };
  const int64_t first_row = row_of(address);
  const int64_t last_row = row_of(address + static_cast<uint64_t>(beats * beat_bytes_ - 1));
  if (memory_.row_miss_cycles > 0) earliest = OpenRows(earliest, first_row, last_row);
  const int64_t first = std::max({earliest, channel_free_, direction_free});
  const int64_t last = first + (beats - 1) * interval_;
  const auto bytes = static_cast<uint32_t>(beats * beat_bytes_);
  channel_free_ = first + (bytes + rate_ - 1) / rate_;
  direction_free = last + 1;
  for (int64_t row = first_row; row <= last_row; ++row)
    banks_[row & (memory_.banks - 1)] = {row, last + 1};
  return {first, last};
}

BurstTiming DramTiming::Read(int64_t cycle, uint64_t address, int64_t beats) {
  return Place(cycle + 1 + memory_.read_latency_cycles, address, beats, read_free_);
}

BurstTiming DramTiming::Write(int64_t cycle, uint64_t address, int64_t beats) {
  return Place(cycle + 1, address, beats, write_free_);
}

}  // namespace vta::sim
