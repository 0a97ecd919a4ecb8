// Kernels in a device: a program that its driver has compiled, and launches of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "driver/code_cache.h"
#include "driver/gpu.h"
#include "driver/opencl/device.h"
#include "driver/opencl/memory.h"
#include "driver/opencl/owned.h"

namespace vta::driver::opencl {

/// A kernel with its arguments, as it is launched again and again.
struct Launched {
  Owned<Kernel> kernel;
  size_t threads = 0, threads_of_block = 0;
  std::string name;

  /// Errors: throws Error where it cannot be started.
  void Start(const Api& api, Queue queue) const;
};

/// What a device has open while modules are in it, which borrow it.
struct Opened {
  const Api& api;
  const DeviceHandle device;
  const DeviceFacts facts;
  const CodeCache cache;
  Buffers buffers;
  Owned<ContextHandle> context = {};
  Owned<Queue> queue = {};
  std::vector<Launched>* recording = nullptr;  // where launches go while a graph is recorded
};

/// How programs are compiled. A device that does not divide so refuses the option.
std::string OptionsFor(const DeviceFacts& facts);

/// Compiles the module, of the package's kernels, or takes what was kept of it. `place` names it in
/// errors.
/// Errors: throws Error with the first line that tells of one in what the driver says, or naming
/// the first kernel that is not there or needs more than the device has.
std::unique_ptr<GpuModule> LoadModule(const Opened& opened, const isa::PackageModule& module,
                                      const std::vector<isa::PackageKernel>& kernels,
                                      const std::string& place);

/// Launches one after the other.
std::unique_ptr<GpuGraph> MakeGraph(const Opened& opened, std::vector<Launched> launches);

}  // namespace vta::driver::opencl
