// Runs a package, programs on a device and kernels on this CPU: constants are copied once, then any
// number of inferences.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/buffer.h"
#include "driver/device.h"
#include "isa/package.h"
#include "runtime/arena.h"
#include "runtime/kernel_module.h"
#include "runtime/thread_pool.h"

namespace vta::runtime {

/// What one step of one run took.
struct StepProfile {
  std::chrono::nanoseconds wall{};
  isa::Counters counters;  // of a program
};

/// One run, measured.
struct RunProfile {
  std::vector<StepProfile> steps;  // in the package's order
  std::chrono::nanoseconds copy_in{}, copy_out{}, wall{};
};

struct ExecutorOptions {
  /// Refuse programs that the checker cannot prove; off only to watch one misbehave.
  bool prove = true;
  /// Refuse packages with modules: they are native code, which nothing proves.
  bool native = true;
  /// What runs the package's kernels instead of its modules. Borrowed; may be null.
  const KernelModule* kernels = nullptr;
  /// Of the pool that runs kernels; 0: as many as this process may use processors.
  int64_t threads = 0;
  /// Is told the index of each step that begins.
  std::function<void(int64_t)> on_step = {};
};

class Executor {
 public:
  using Deadline = std::chrono::steady_clock::time_point;  // max(): none

  /// `device` is borrowed, and may be null for a package without programs. `file` names the package
  /// in errors.
  /// Errors: throws Error where the package was made for another accelerator, holds a program that
  /// the checker refuses, does not fit the device's memory, or has no module for this machine.
  Executor(isa::Package package, const std::string& file, driver::Device* device,
           const ExecutorOptions& options = {});

  const isa::Package& package() const { return package_; }

  /// A program that runs then is stopped; a kernel ends first. Nothing runs after it.
  void StopAt(Deadline deadline) { deadline_ = deadline; }

  /// One inference. Inputs and outputs are the bytes of the package's tensors, in the model's
  /// order. Errors: throws Error naming the input of a wrong size; or naming step, layer and the
  /// instruction that each module stands at, where a program does not finish; or the step that ran
  /// at the deadline.
  std::vector<std::vector<uint8_t>> Run(std::span<const std::span<const uint8_t>> inputs,
                                        RunProfile* profile = nullptr);

  /// The bytes of a tensor as the last step left them. Tensors share memory: only those that live
  /// to the end hold their own values.
  std::vector<uint8_t> ReadTensor(int64_t tensor) const;

 private:
  void CheckInputs(std::span<const std::span<const uint8_t>> inputs) const;
  void RunStep(int64_t index, StepProfile& profile);
  isa::Counters RunProgram(int64_t index);
  void RunKernel(int64_t step);
  void PrepareKernels();
  bool IsConstant(const isa::PackageTensor& tensor) const;
  std::string Place(int64_t step) const;

  isa::Package package_;
  std::string file_;
  driver::Device* device_;
  ExecutorOptions options_;
  std::unique_ptr<const KernelModule> loaded_;
  Arena arena_;
  std::optional<driver::Buffer> code_;
  std::optional<ThreadPool> pool_;
  std::optional<AlignedMemory> workspace_;     // a part for each thread
  int64_t workspace_bytes_ = 0;                // of a part
  std::vector<std::vector<void*>> arguments_;  // of each step that is a kernel
  Deadline deadline_ = Deadline::max();
};

}  // namespace vta::runtime
