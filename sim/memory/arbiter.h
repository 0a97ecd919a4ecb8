// Whose burst a memory takes where several masters ask.
#pragma once

#include <cstdint>

namespace vta::sim {

/// In a cycle the memory takes one read and one write at most. Of the masters that ask for one of a
/// direction it takes the first behind that whose burst of this direction it took last, in the
/// order of their numbers, which begins again behind the highest; at first that of the lowest
/// number. Where the memory has one place, that goes to the read; but where the read and the write
/// are of two masters, they take turns, the read first.
class Arbiter {
 public:
  /// Numbers of masters, or -1.
  struct Taken {
    int read = -1, write = -1;
  };
  /// `reads`, `writes`: bit m is set where master m asks. `free`: bursts that the memory can take.
  Taken Take(uint32_t reads, uint32_t writes, int64_t free) {
    if (free <= 0) return {};
    Taken taken = {Next(reads, last_read_), Next(writes, last_write_)};
    if (free == 1 && taken.read >= 0 && taken.write >= 0) {
      const bool turns = taken.read != taken.write, write = turns && read_was_first_;
      if (turns) read_was_first_ = !write;
      (write ? taken.read : taken.write) = -1;
    }
    if (taken.read >= 0) last_read_ = taken.read;
    if (taken.write >= 0) last_write_ = taken.write;
    return taken;
  }

 private:
  static constexpr int kMasters = 32;
  static int Next(uint32_t asks, int last) {
    for (int i = 1; i <= kMasters; ++i)
      if (const int master = (last + i) % kMasters; asks >> master & 1) return master;
    return -1;
  }
  int last_read_ = -1, last_write_ = -1;
  bool read_was_first_ = false;  // where two masters contended for one place
};

}  // namespace vta::sim
