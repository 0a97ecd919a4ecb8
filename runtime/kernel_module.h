// The kernels of a package that a CPU runs, loaded: native code, or what stands in for it.
#pragma once

#include <cstdint>

namespace vta::runtime {

class KernelModule {
 public:
  virtual ~KernelModule() = default;

  /// Runs the tasks [first, last) of a kernel; `kernel` is its index in the package. Several
  /// threads may be inside, each with its own workspace and tasks of its own. Nothing is allocated.
  virtual void Run(int64_t kernel, void* const* tensors, void* workspace, int64_t first,
                   int64_t last) const = 0;
};

}  // namespace vta::runtime
