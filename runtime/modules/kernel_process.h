// Kernels in a process of their own, which is killed at a deadline.
#pragma once

#include <sys/types.h>

#include <string>

#include "runtime/modules/kernel_runner.h"

namespace vta::runtime {

/// The process is forked from this one when the runner is made: tensors, constants and code lie at
/// the same addresses there. What kernels write is seen here where memory is for both
/// (AlignedMemory::Sharing). It has none of this process's open files, no input and no output, and
/// ends with it.
class KernelProcess : public KernelRunner {
 public:
  /// `sandboxed`: system calls are filtered there. `where` names the package in errors.
  /// Errors: throws Error where the system gives no process, no threads for it, or no filter.
  KernelProcess(const KernelPlace& place, int64_t threads, bool sandboxed,
                const std::string& where);
  ~KernelProcess() override;
  KernelProcess(const KernelProcess&) = delete;
  KernelProcess& operator=(const KernelProcess&) = delete;

  /// `tensors` was there when the runner was made.
  std::optional<KernelStop> Run(int64_t kernel, void* const* tensors, Deadline deadline) override;

 private:
  KernelStop Ended();
  void Kill();

  pid_t process_ = 0;
  int control_ = -1, life_ = -1;  // messages; and what is closed when this process ends
};

}  // namespace vta::runtime
