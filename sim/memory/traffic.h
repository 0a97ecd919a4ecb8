// A second master of the memory: bursts that get into the accelerator's way, the same ones in every
// simulator.
#pragma once

#include <cstdint>
#include <random>

namespace vta::sim {

/// Asks for one burst at a time, at random places and distances. It moves no data: what it reads is
/// thrown away, and the strobes of what it writes are 0. Cycles count from where it begins, which
/// is cycle 0 of a launch. C++17, for platforms.
class Traffic {
 public:
  struct Burst {
    bool write = false;
    uint64_t address = 0;  // of whole beats, inside 4 KiB
    int64_t beats = 0;
    int64_t cycle = 0;  // the first one in which it is asked for
  };

  /// The same arguments give the same bursts. Units: a memory of whole pages of 4096 bytes.
  /// Errors: throws std::runtime_error (vta::Error) where it holds none.
  Traffic(uint64_t seed, uint64_t memory_bytes, int64_t beat_bytes);

  const Burst& next() const { return next_; }
  /// The memory took the burst in this cycle.
  void Taken(int64_t cycle) { Draw(cycle + 1); }

 private:
  void Draw(int64_t from);
  uint64_t Below(uint64_t limit) { return random_() % limit; }

  std::mt19937_64 random_;
  uint64_t pages_;
  uint64_t beat_bytes_;
  uint64_t longest_gap_;  // cycles from a burst to the next one
  uint64_t write_percent_;
  Burst next_;
};

}  // namespace vta::sim
