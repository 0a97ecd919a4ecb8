#include "runtime/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "isa/support/error.h"

namespace vta::runtime {
namespace {

// Longer than the system takes to wake a thread, which on virtual machines is up to a millisecond.
constexpr std::chrono::nanoseconds kLook = std::chrono::milliseconds(2);

// A part is done in this many ranges: one that is held up is small, and a call costs nothing
// beside.
constexpr int64_t kRanges = 8;

// The last ranges of another thread's part are left to it for as long as one of them takes, and
// what it may take to hear of them.
constexpr int64_t kLastRanges = 2;
constexpr std::chrono::nanoseconds kLate = std::chrono::microseconds(1);

// Lets the other threads of the core go first.
void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

int64_t CheckedThreads(int64_t threads) {
  if (threads < 1 || threads > ThreadPool::kMaxThreads)
    throw Error("", "threads", StrCat(threads), StrCat("must be 1 to ", ThreadPool::kMaxThreads));
  return threads;
}

}  // namespace

int64_t AvailableCpus() {
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {  // the system refuses a set that is too small
    std::vector<cpu_set_t> set((cpus + CPU_SETSIZE - 1) / CPU_SETSIZE);
    const size_t bytes = set.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, set.data()) == 0)
      return std::max(1, CPU_COUNT_S(bytes, set.data()));
    if (errno != EINVAL) break;
  }
  return 1;
}

void Awaited::Store(State state) {
  // Either this thread sees that one is asleep, or that one sees the state before it is.
  state_.store(state, std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst) == 0) return;
  { const std::lock_guard lock(mutex_); }
  wake_.notify_all();
}

void Awaited::Wait(State wanted, std::chrono::nanoseconds look) {
  const auto is_there = [&] { return state_.load(std::memory_order_acquire) == wanted; };
  if (is_there()) return;
  const auto end = std::chrono::steady_clock::now() + look;
  while (std::chrono::steady_clock::now() < end)
    for (int i = 0; i < 16; ++i) {
      if (is_there()) return;
      Pause();
    }
  std::unique_lock lock(mutex_);
  asleep_.fetch_add(1, std::memory_order_seq_cst);
  wake_.wait(lock, [&] { return state_.load(std::memory_order_seq_cst) == wanted; });
  asleep_.fetch_sub(1, std::memory_order_relaxed);
}

ThreadPool::ThreadPool(int64_t threads)
    : look_(threads <= AvailableCpus() ? kLook : std::chrono::nanoseconds(0)),
      workers_(static_cast<size_t>(CheckedThreads(threads))) {
  try {
    for (int64_t w = 1; w < threads; ++w)
      workers_[static_cast<size_t>(w)].thread = std::thread([this, w] { Work(w); });
  } catch (const std::system_error& error) {
    Stop();
    throw Error("", "threads", StrCat(threads), StrCat("the system refuses: ", error.what()));
  }
}

ThreadPool::~ThreadPool() { Stop(); }

void ThreadPool::Stop() {
  stop_ = true;
  for (Worker& worker : workers_) {
    if (!worker.thread.joinable()) continue;
    worker.state.Store(Awaited::State::kCalled);
    worker.thread.join();
  }
}

void ThreadPool::Work(int64_t worker) {
  Worker& own = workers_[static_cast<size_t>(worker)];
  Awaited& state = own.state;
  for (;;) {
    state.Wait(Awaited::State::kCalled, look_);
    if (stop_) return;
    // These come at the same time as the line that is written next.
    __builtin_prefetch(&job_);
    __builtin_prefetch(&own.next, 1);
    if (!state.Change(Awaited::State::kCalled, Awaited::State::kInside))
      continue;  // all was done before this thread woke
    RunRanges(worker);
    state.Store(Awaited::State::kIdle);
  }
}

void ThreadPool::RunJob(int64_t tasks, const Job& job) {
  VTA_CHECK(tasks >= 0, tasks);
  if (tasks == 0) return;
  const std::lock_guard turn(callers_);
  const int64_t parts = std::min(tasks, threads());
  if (parts == 1) return job.call(job.closure, 0, 0, tasks);
  const int64_t each = tasks / parts, more = tasks % parts;
  job_ = job;
  job_.parts = parts;
  job_.range = 1 + (each - 1) / kRanges;
  for (int64_t w = 0, first = 0; w < parts; ++w) {
    Worker& worker = workers_[static_cast<size_t>(w)];
    worker.next.store(first, std::memory_order_relaxed);  // its state orders it
    worker.last = first += each + (w < more);
  }
  for (int64_t w = 1; w < parts; ++w)
    workers_[static_cast<size_t>(w)].state.Store(Awaited::State::kCalled);
  RunRanges(0);
  for (int64_t w = 1; w < parts; ++w) {
    Awaited& state = workers_[static_cast<size_t>(w)].state;
    if (!state.Change(Awaited::State::kCalled, Awaited::State::kIdle))
      state.Wait(Awaited::State::kIdle, look_);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// Returns when each task is begun.
void ThreadPool::RunRanges(int64_t worker) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  Clock::time_point late;
  for (int64_t of = 0; of < job_.parts; ++of) {
    if (of == 1 && look_.count() > 0)
      late = Clock::now() + (Clock::now() - begin) / kRanges + kLate;
    Worker& owner = workers_[static_cast<size_t>((worker + of) % job_.parts)];
    int64_t first = owner.next.load(std::memory_order_relaxed);
    while (first < owner.last) {
      if (of > 0 && owner.last - first <= kLastRanges * job_.range && Clock::now() < late) {
        for (int i = 0; i < 8; ++i) Pause();
        first = owner.next.load(std::memory_order_relaxed);
        continue;
      }
      const int64_t last = first + std::min(job_.range, owner.last - first);
      if (!owner.next.compare_exchange_weak(first, last, std::memory_order_relaxed)) continue;
      try {
        job_.call(job_.closure, worker, first, last);
      } catch (...) {
        const std::lock_guard lock(failure_mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
      first = owner.next.load(std::memory_order_relaxed);
    }
  }
}

}  // namespace vta::runtime
