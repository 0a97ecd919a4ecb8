// Who runs the kernels of a session, and how they are kept from the rest of the process.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "isa/package.h"
#include "runtime/modules/kernel_guard.h"
#include "runtime/modules/kernel_module.h"
#include "runtime/modules/sharing.h"
#include "runtime/thread_pool.h"

namespace vta::runtime {

/// Each keeps more than those before it. A session whose kernel was stopped is dead: each call says
/// so. Others go on.
enum class Confinement {
  /// A kernel is a call: a fault is the process's own, and a deadline waits for its end.
  kNone,
  /// A kernel that faults, or runs too long, ends its session: KernelGuard, with signal handlers.
  kGuarded,
  /// Kernels run in a process of their own, which has copies of what this one has in memory, and no
  /// file that it has open.
  kProcess,
  /// That process makes no system call, but for those that its threads wait with.
  kSandboxed,
};

struct KernelOptions {
  Confinement confinement = Confinement::kNone;
  /// How long one kernel may run; kForever is the longest.
  std::chrono::nanoseconds limit = kForever;

  static constexpr std::chrono::nanoseconds kForever = std::chrono::nanoseconds::max();
};

/// A package's kernels and where they work.
struct KernelPlace {
  const KernelModule& module;  // borrowed, as all of it
  const isa::Package& package;
  std::span<uint8_t> memory;     // all that kernels write
  uint8_t* workspace = nullptr;  // there, a part for each thread
  int64_t workspace_bytes = 0;   // of a part
};

/// Used by one thread at a time.
class KernelRunner {
 public:
  virtual ~KernelRunner() = default;
  /// All tasks of a kernel. What stopped it, if something did. Nothing is allocated.
  virtual std::optional<KernelStop> Run(int64_t kernel, void* const* tensors,
                                        Deadline deadline) = 0;
};

/// On the threads of a pool in this process; what the caller does alone takes no turn at the pool.
class KernelThreads : public KernelRunner {
 public:
  KernelThreads(const KernelPlace& place, std::shared_ptr<ThreadPool> pool, bool guarded);
  std::optional<KernelStop> Run(int64_t kernel, void* const* tensors, Deadline deadline) override;
  /// Each thread makes what system calls a kernel needs before its first one.
  void Prepare();

 private:
  KernelPlace place_;
  std::shared_ptr<ThreadPool> pool_;
  std::optional<KernelGuard> guard_;
  std::vector<Sharing> sharing_;  // of each kernel
  // Of all steps of a network, in runs of them: one alone among others that threads share finds its
  // input on their processors.
  Sharing all_sharing_{std::chrono::milliseconds(2), 0.01F};
  std::chrono::nanoseconds all_took_{};
  int64_t steps_, all_steps_ = 0;  // of a run; that all_took_ is of
};

}  // namespace vta::runtime
