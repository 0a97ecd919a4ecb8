#include "python/src/work.h"

#include <nanobind/stl/string.h>
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "tools/shared/stack.h"

namespace nb = nanobind;

namespace vta::python {
namespace {

/// The work on a thread of its own, which the caller waits for.
class Worker {
 public:
  explicit Worker(const std::function<void()>& work) : thread_([this, &work] { Do(work); }) {}
  ~Worker() { thread_.join(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// False where it has not ended soon.
  bool Ends() {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, kLook, [&] { return has_ended_; });
  }
  /// For a process that it waits for, which is ended by a signal that the thread gets.
  void Interrupt() {
    const std::lock_guard lock(mutex_);
    if (own_ && !has_ended_) pthread_kill(*own_, SIGINT);
  }
  const std::exception_ptr& failed() const { return failed_; }

 private:
  void Do(const std::function<void()>& work) {
    bool has_begun = false;
    tools::OnOwnStack("vta", [&] {
      has_begun = true;
      // Python's handler is not for this thread: who waits for signals here gets them one by one.
      sigset_t interrupts;
      sigemptyset(&interrupts);
      sigaddset(&interrupts, SIGINT);
      pthread_sigmask(SIG_BLOCK, &interrupts, nullptr);
      SetOwn(pthread_self());
      try {
        work();
      } catch (...) {
        failed_ = std::current_exception();
      }
      SetOwn(std::nullopt);
      return 0;
    });
    if (!has_begun)
      failed_ = std::make_exception_ptr(Error("", "", "", "a stack for the work cannot be had"));
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    ended_.notify_one();
  }
  void SetOwn(std::optional<pthread_t> own) {
    const std::lock_guard lock(mutex_);
    own_ = own;
  }

  std::mutex mutex_;  // of what follows
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::optional<pthread_t> own_;  // while it works
  std::exception_ptr failed_;     // until it has ended, its own
  std::thread thread_;
};

}  // namespace

bool IsAskedToEnd(const tools::Progress& progress) {
  try {
    progress.RequireGoingOn();
    return false;
  } catch (const tools::Stopped&) {
    return true;
  }
}

std::exception_ptr RaisedBySignal() {
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() == 0) return nullptr;
  return std::make_exception_ptr(nb::python_error());
}

void DoWork(const std::string& what, nb::handle listener,
            const std::function<void(tools::Progress*)>& work) {
  std::exception_ptr failed, raised;
  {
    const nb::gil_scoped_release unlocked;
    std::optional<tools::Progress> progress;
    if (!what.empty()) progress.emplace(what, false);
    if (progress && listener.is_valid() && !listener.is_none())
      progress->Tell([listener](const std::string& place, int64_t number, int64_t total) {
        const nb::gil_scoped_acquire locked;
        listener(place, number, total);
      });
    const std::function<void()> all = [&] { work(progress ? &*progress : nullptr); };
    Worker worker(all);
    while (!worker.Ends()) {
      if (raised) continue;
      raised = RaisedBySignal();
      if (!raised) continue;
      if (progress) progress->Stop();
      worker.Interrupt();
    }
    failed = worker.failed();
  }
  if (raised) std::rethrow_exception(raised);
  if (failed) std::rethrow_exception(failed);
}

}  // namespace vta::python
