// The kernels of a package that a CPU runs, loaded: native code, or what stands in for it.
#pragma once

#include <cstdint>
#include <span>

namespace vta::runtime {

/// A kernel as native code is called.
using NativeKernel = void (*)(void* const* tensors, void* workspace, int64_t first, int64_t last);

class KernelModule {
 public:
  virtual ~KernelModule() = default;

  /// Runs the tasks [first, last) of a kernel; `kernel` is its index in the package. Several
  /// threads may be inside, each with its own workspace and tasks of its own. Nothing is allocated.
  virtual void Run(int64_t kernel, void* const* tensors, void* workspace, int64_t first,
                   int64_t last) const = 0;

  /// The memory that the module's code and data lie in, and what Run calls there; none of what is
  /// no native code.
  virtual std::span<const uint8_t> memory() const { return {}; }
  virtual NativeKernel Native(int64_t) const { return nullptr; }
};

}  // namespace vta::runtime
