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
  raised_.store(false, std::memory_order_relaxed);
}

ThreadPool::ThreadPool(int64_t threads)
    : look_(threads <= AvailableCpus() ? kLook : std::chrono::nanoseconds(0)),
      workers_(static_cast<size_t>(CheckedThreads(threads) - 1)) {
  try {
    for (int64_t w = 1; w < threads; ++w)
      workers_[static_cast<size_t>(w - 1)].thread = std::thread([this, w] { Work(w); });
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
  Event& start = workers_[static_cast<size_t>(worker - 1)].start;
  for (;;) {
    start.Wait(look_);
    if (stop_) return;
    RunPart(worker);
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) done_.Raise();
  }
}

void ThreadPool::RunJob(Job job) {
  VTA_CHECK(job.tasks >= 0, job.tasks);
  if (job.tasks == 0) return;
  const std::lock_guard turn(callers_);
  job.parts = std::min(job.tasks, threads());
  job_ = job;
  pending_.store(job.parts - 1, std::memory_order_relaxed);  // the events order it
  for (int64_t w = 1; w < job.parts; ++w) workers_[static_cast<size_t>(w - 1)].start.Raise();
  RunPart(0);
  if (job.parts > 1) done_.Wait(look_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::RunPart(int64_t worker) {
  const int64_t each = job_.tasks / job_.parts, more = job_.tasks % job_.parts;
  const int64_t first = worker * each + std::min(worker, more);
  try {
    job_.call(job_.function, worker, first, first + each + (worker < more));
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

}  // namespace vta::runtime
