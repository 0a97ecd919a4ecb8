// Whose burst a memory takes where several masters ask.
#pragma once

#include <cstdint>

namespace vta::sim {

/// In a cycle the memory takes one read and one write at most. Of the masters that ask for one of a
/// direction it takes the first behind that whose burst of this direction it took last, in the
/// order of their numbers, which begins again behind the highest; at first that of the lowest
/// number. The last place of the memory goes to a read, if a master asks for one.
class Arbiter {
 public:
  /// Numbers of masters, or -1.
  struct Taken {
    int read = -1, write = -1;
  };
  /// `reads`, `writes`: bit m is set where master m asks. `free`: bursts that the memory can take.
  Taken Take(uint32_t reads, uint32_t writes, int64_t free) {
    Taken taken;
    if (free > 0) taken.read = Next(reads, last_read_);
    if (free > (reads != 0 ? 1 : 0)) taken.write = Next(writes, last_write_);
    return taken;
  }

 private:
  static constexpr int kMasters = 32;
  static int Next(uint32_t asks, int& last) {
    for (int i = 1; i <= kMasters; ++i)
      if (const int master = (last + i) % kMasters; asks >> master & 1) return last = master;
    return -1;
  }
  int last_read_ = -1, last_write_ = -1;
};

}  // namespace vta::sim
