#include "sim/memory/dram.h"

#include <algorithm>

namespace vta::sim {

DramTiming::DramTiming(const isa::Memory& memory, int64_t beat_bytes)
    : memory_(memory),
      beat_bytes_(beat_bytes),
      interval_(std::max<int64_t>(1, beat_bytes / memory.bytes_per_cycle)) {}

BurstTiming DramTiming::Place(int64_t earliest, int64_t beats, int64_t& direction_free) {
  const int64_t rate = memory_.bytes_per_cycle;
  const int64_t channel = (channel_free_ + rate - 1) / rate;
  const int64_t first = std::max({earliest, channel, direction_free});
  const int64_t last = first + (beats - 1) * interval_;
  channel_free_ = std::max(channel_free_, first * rate) + beats * beat_bytes_;
  direction_free = last + 1;
  return {first, last};
}

BurstTiming DramTiming::Read(int64_t cycle, int64_t beats) {
  return Place(cycle + 1 + memory_.read_latency_cycles, beats, read_free_);
}

BurstTiming DramTiming::Write(int64_t cycle, int64_t beats) {
  return Place(cycle + 1, beats, write_free_);
}

}  // namespace vta::sim
