// Kernels that fault, or run too long, are left where they are; the thread goes on without them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/modules/kernel_module.h"

namespace vta::runtime {

using Deadline = std::chrono::steady_clock::time_point;  // max(): none

/// What ended a kernel that did not return.
struct KernelStop {
  enum class Cause : int32_t { kDeadline, kFault, kSystemCall, kProcess };
  Cause cause = Cause::kDeadline;
  int32_t signal = 0;           // of a fault; or that ended the worker process, 0 if it left
  uint64_t address = 0;         // that a fault is about; the number of a system call
  int64_t instruction_at = -1;  // behind the start of the module's memory
};

/// "was stopped by SIGSEGV at address 0x0, instruction 0x10500 of its module". Of a deadline only
/// who set it knows more.
std::string Describe(const KernelStop& stop);

/// Signals that a kernel raises, and that of a deadline. The handlers of a process: there while any
/// guard is. Each acts where the interrupted instruction lies in the module that its thread runs a
/// kernel of, and otherwise calls the handler that was there before. A handler that is installed
/// later, and does not call this one, ends the guarding.
class KernelGuard {
 public:
  /// For kernels of the module, on so many threads. Units: SIGRTMIN + kDeadlineSignal is used.
  /// Errors: throws Error where the system gives no handler.
  KernelGuard(const KernelModule& module, int64_t threads);
  ~KernelGuard();
  KernelGuard(const KernelGuard&) = delete;
  KernelGuard& operator=(const KernelGuard&) = delete;

  static constexpr int kDeadlineSignal = 7;

  /// Once on each thread that runs kernels: a stack for handlers, where it has none; and a pool's
  /// own thread, any but worker 0, blocks none of the signals. The first Run of a thread does it,
  /// if nobody did. The thread's number.
  static int PrepareThread(int64_t worker);

  /// Before the calls of a kernel, on the thread that waits for all of them.
  /// Errors: throws Error where the system gives no timer.
  void Begin(Deadline deadline);
  /// A call, on any thread; each has a `worker` number of its own, below `threads`. It returns at
  /// once where another one was stopped.
  void Run(int64_t worker, int64_t kernel, void* const* tensors, void* workspace, int64_t first,
           int64_t last);
  /// After all calls: what stopped the first that was.
  std::optional<KernelStop> End();

 private:
  friend struct GuardHandlers;

  void MakeTimer();
  void DeleteTimer();

  const KernelModule& module_;
  std::vector<std::atomic<int>> inside_;  // the thread that runs a call, by worker; 0: none
  std::atomic<bool> stopping_ = false;    // no call begins any more
  std::atomic<bool> stopped_ = false;     // stop_ is taken
  KernelStop stop_;
  bool has_deadline_ = false;  // between Begin and End
  bool was_blocked_ = false;   // the deadline's signal, on the thread of Begin
  struct Timer {
    timer_t timer;
    int process, id;  // what a fork makes has other ones, and no timer
    uint64_t thread;  // whose it is
  };
  std::optional<Timer> timer_;  // is kept, as it takes longer to make than a small kernel
};

}  // namespace vta::runtime
