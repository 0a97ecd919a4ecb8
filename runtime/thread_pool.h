// Threads that share a kernel's tasks.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <vector>

namespace vta::runtime {

/// How many CPUs this process may run on: its affinity, as of now.
int64_t AvailableCpus();

/// Two threads each await what the other one stores: for a short while by looking, then asleep. In
/// a line of the cache of its own, which alone goes between them.
class Awaited {
 public:
  enum class State : uint32_t { kIdle, kCalled, kInside };

  void Store(State state);
  /// Whether it was `from`, and is `to` now.
  bool Change(State from, State to) { return state_.compare_exchange_strong(from, to); }
  /// Returns once it is `wanted`.
  void Wait(State wanted, std::chrono::nanoseconds look);

 private:
  alignas(64) std::atomic<State> state_ = State::kIdle;
  std::atomic<uint32_t> asleep_ = 0;  // threads: one that wakes may not know yet
  alignas(64) std::mutex mutex_;
  std::condition_variable wake_;
};

/// The caller of Run is worker 0; the other workers are threads of the pool.
class ThreadPool {
 public:
  /// Errors: throws Error where `threads` is not in [1, kMaxThreads], or the system gives fewer.
  explicit ThreadPool(int64_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  static constexpr int64_t kMaxThreads = 1024;

  /// Whether a copy of a function comes to the other threads with the job, in one line of the
  /// cache.
  static constexpr size_t kClosureBytes = 40;
  template <typename Function>
  static constexpr bool kTravels = std::is_trivially_copyable_v<Function> &&
                                   sizeof(Function) <= kClosureBytes &&
                                   alignof(Function) <= alignof(int64_t);

  int64_t threads() const { return static_cast<int64_t>(workers_.size()); }

  /// Calls function(worker, first, last) on ranges that cover [0, tasks) once; no two calls of one
  /// worker at a time. Worker w of min(tasks, threads) begins with the w-th part of [0, tasks) and
  /// takes of the others' parts what they have not begun when its own is done, the last of it only
  /// after a while: a thread that the system puts aside holds up the range that it is in, no more,
  /// and one that is a little late keeps what it has in its cache. Returns when all calls have;
  /// nothing is allocated. What a call throws comes out of Run, the first if several do. Callers on
  /// several threads take turns, so sessions may share a pool: each kernel then has all threads,
  /// and waits for the other session's. `function` must not call Run of its own pool.
  template <typename Function>
  void Run(int64_t tasks, const Function& function) {
    if constexpr (!kTravels<Function>) {
      Run(tasks, [at = &function](int64_t worker, int64_t first, int64_t last) {
        (*at)(worker, first, last);
      });
    } else {
      Job job;
      new (job.closure) Function(function);
      job.call = [](const void* closure, int64_t worker, int64_t first, int64_t last) {
        (*static_cast<const Function*>(closure))(worker, first, last);
      };
      RunJob(tasks, job);
    }
  }

 private:
  /// A line of the cache.
  struct alignas(64) Job {
    void (*call)(const void* closure, int64_t worker, int64_t first, int64_t last) = nullptr;
    int64_t parts = 0, range = 0;  // tasks of a call, at most
    alignas(int64_t) std::byte closure[kClosureBytes] = {};
  };
  struct Worker {
    // The caller says that it is called; the thread that it is inside of the job, and idle again.
    // What was not begun when all is done the caller takes back.
    Awaited state;
    std::thread thread;  // worker 0 has none: it is the caller
    // Of its part of the job, the tasks [next, last) are not begun.
    alignas(64) std::atomic<int64_t> next = 0;
    int64_t last = 0;
  };

  void RunJob(int64_t tasks, const Job& job);
  void RunRanges(int64_t worker);
  void Work(int64_t worker);
  void Stop();

  std::chrono::nanoseconds look_;  // before a thread sleeps
  std::mutex callers_;
  Job job_;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> stop_ = false;
  std::vector<Worker> workers_;
};

}  // namespace vta::runtime
