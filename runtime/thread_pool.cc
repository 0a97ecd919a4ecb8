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

// Bit of inside_: no thread may begin with the job.
constexpr int64_t kClosed = int64_t{1} << 32;

// A part is done in this many ranges: one that is held up is small, and a call costs nothing
// beside.
constexpr int64_t kRanges = 8;

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

void Event::Raise() {
  {
    const std::lock_guard lock(mutex_);
    raised_.store(true, std::memory_order_release);
  }
  wake_.notify_one();
}

void Event::Wait(std::chrono::nanoseconds look) {
  const auto end = std::chrono::steady_clock::now() + look;
  const auto raised = [&] { return raised_.load(std::memory_order_acquire); };
  while (!raised() && std::chrono::steady_clock::now() < end)
    for (int i = 0; i < 16 && !raised(); ++i) Pause();
  if (!raised()) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, raised);
  }
  // It may be raised once more by now: who lowers it sees what was written before that, too.
  raised_.exchange(false, std::memory_order_acq_rel);
}

ThreadPool::ThreadPool(int64_t threads)
    : look_(threads <= AvailableCpus() ? kLook : std::chrono::nanoseconds(0)),
      inside_(kClosed),
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
    worker.start.Raise();
    worker.thread.join();
  }
}

void ThreadPool::Work(int64_t worker) {
  Event& start = workers_[static_cast<size_t>(worker)].start;
  for (;;) {
    start.Wait(look_);
    if (stop_) return;
    if (!Enter()) continue;  // it was done before this thread woke
    RunRanges(worker);
    Leave();
  }
}

// Whether a job is open; the caller of Run then waits for this thread to leave.
bool ThreadPool::Enter() {
  int64_t inside = inside_.load(std::memory_order_relaxed);
  while (inside < kClosed)
    if (inside_.compare_exchange_weak(inside, inside + 1, std::memory_order_acquire)) return true;
  return false;
}

void ThreadPool::Leave() {
  if (inside_.fetch_sub(1, std::memory_order_acq_rel) == kClosed + 1) done_.Raise();
}

void ThreadPool::RunJob(Job job) {
  VTA_CHECK(job.tasks >= 0, job.tasks);
  if (job.tasks == 0) return;
  const std::lock_guard turn(callers_);
  job.parts = std::min(job.tasks, threads());
  if (job.parts == 1) return job.call(job.function, 0, 0, job.tasks);
  const int64_t each = job.tasks / job.parts, more = job.tasks % job.parts;
  job.range = 1 + (each - 1) / kRanges;
  job_ = job;
  for (int64_t w = 0, first = 0; w < job.parts; ++w) {
    Worker& worker = workers_[static_cast<size_t>(w)];
    worker.next.store(first, std::memory_order_relaxed);  // inside_ orders it
    worker.last = first += each + (w < more);
  }
  inside_.store(0, std::memory_order_release);
  for (int64_t w = 1; w < job.parts; ++w) workers_[static_cast<size_t>(w)].start.Raise();
  RunRanges(0);
  if (inside_.fetch_or(kClosed, std::memory_order_acq_rel) != 0) done_.Wait(look_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// Returns when each task is begun. A thread that wakes late may be no worker of this job: it helps.
void ThreadPool::RunRanges(int64_t worker) {
  for (int64_t of = 0; of < job_.parts; ++of) {
    Worker& owner = workers_[static_cast<size_t>((worker + of) % job_.parts)];
    int64_t first = owner.next.load(std::memory_order_relaxed);
    while (first < owner.last) {
      const int64_t last = first + std::min(job_.range, owner.last - first);
      if (!owner.next.compare_exchange_weak(first, last, std::memory_order_relaxed)) continue;
      try {
        job_.call(job_.function, worker, first, last);
      } catch (...) {
        const std::lock_guard lock(failure_mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
      first = owner.next.load(std::memory_order_relaxed);
    }
  }
}

}  // namespace vta::runtime
