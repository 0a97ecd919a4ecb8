// One at a time: of several threads that want something, each waits for its turn.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>

namespace vta::runtime {

/// When it is given back, the waiting thread with the lowest number is next.
class PriorityMutex {
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
class PriorityLock {
 public:
  PriorityLock(PriorityMutex& mutex, int64_t number) : mutex_(mutex) { mutex_.Take(number); }
  ~PriorityLock() { mutex_.Give(); }
  PriorityLock(const PriorityLock&) = delete;
  PriorityLock& operator=(const PriorityLock&) = delete;

 private:
  PriorityMutex& mutex_;
};

}  // namespace vta::runtime
