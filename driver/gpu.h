// A GPU: memory, and kernels that work in it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "driver/device.h"
#include "isa/package.h"

namespace vta::driver {

/// A module of kernels in a GPU. Freed before the GPU is.
class GpuModule {
 public:
  virtual ~GpuModule() = default;
  /// Whether the driver had made its code before, and it was kept.
  virtual bool is_from_cache() const { return false; }
  /// Starts all tasks of a kernel, the index of one of the package's, behind what was started
  /// before. `addresses`: of its tensors in the GPU's memory, then that of the workspace.
  /// Errors: throws Error where it cannot be started.
  virtual void Launch(int64_t kernel, std::span<const uint64_t> addresses) = 0;
};

/// Launches that are started together, which costs less than one after the other. Freed before the
/// modules whose kernels they are of.
class GpuGraph {
 public:
  virtual ~GpuGraph() = default;
  /// Errors: throws Error where it cannot be started.
  virtual void Start() = 0;
};

/// Used by one thread at a time. Copies wait for what was started before them.
class Gpu : public Memory {
 public:
  virtual const std::string& name() const = 0;
  /// Whether it runs such code, as far as format and features say.
  virtual bool Runs(std::string_view format, std::string_view feature) const = 0;
  /// The first of the modules that it runs.
  /// Errors: throws Error naming `file` where it runs none of them, or one has not each kernel.
  virtual std::unique_ptr<GpuModule> Load(const isa::Package& package, const std::string& file) = 0;
  /// What `launches` starts, which runs with the graph and not now.
  virtual std::unique_ptr<GpuGraph> Record(const std::function<void()>& launches) = 0;
  /// Until all that was started is done. False where the limit came before: the GPU is not to be
  /// used any more. Errors: throws Error where a kernel failed.
  virtual bool Wait(std::chrono::nanoseconds limit) = 0;
};

}  // namespace vta::driver
