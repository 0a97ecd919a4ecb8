// One at a time: of several threads that want something, each waits for its turn.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>

namespace vta::runtime {

/// When it is given back, the waiting thread with the lowest number is next.
class Turns {
 public:
  /// Waits. No two threads may use the same number at a time.
  void Take(int64_t number);
  void Give();

 private:
  std::mutex mutex_;
  std::condition_variable given_;
  std::set<int64_t> waiting_;
  bool taken_ = false;
};

/// From construction to destruction.
class Turn {
 public:
  Turn(Turns& turns, int64_t number) : turns_(turns) { turns_.Take(number); }
  ~Turn() { turns_.Give(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turns& turns_;
};

}  // namespace vta::runtime
