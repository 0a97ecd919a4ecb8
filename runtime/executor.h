// Runs a package on a device: constants are copied once, then any number of inferences.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "driver/buffer.h"
#include "driver/device.h"
#include "isa/package.h"
#include "runtime/host_module.h"

namespace vta::runtime {

/// What one step of one run took.
struct StepProfile {
  std::chrono::nanoseconds wall{};
  isa::Counters counters;         // of a program
  int64_t host_bytes_copied = 0;  // of a host kernel: out of the device and back
};

/// One run, measured.
struct RunProfile {
  std::vector<StepProfile> steps;  // in the package's order
  std::chrono::nanoseconds copy_in{}, copy_out{}, wall{};
};

struct ExecutorOptions {
  /// Refuse programs that the checker cannot prove; off only to watch one misbehave.
  bool prove = true;
  /// Is told the index of each step that begins.
  std::function<void(int64_t)> on_step = {};
};

class Executor {
 public:
  /// `device` and `host` are borrowed; `host` may be null for a package without host kernels.
  /// `file` names the package in errors.
  /// Errors: throws Error where the package was made for another accelerator, holds a program
  /// that the checker refuses, does not fit the
  /// device's memory, or needs a host kernel that is not there.
  Executor(isa::Package package, const std::string& file, driver::Device& device, HostModule* host,
           const ExecutorOptions& options = {});

  const isa::Package& package() const { return package_; }

  /// What runs then is stopped, program or host kernel, and nothing runs after it.
  void StopAt(HostModule::Deadline deadline) { deadline_ = deadline; }

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
  int64_t RunHost(const isa::PackageStep& step);
  std::string Place(int64_t step) const;

  isa::Package package_;
  std::string file_;
  driver::Device& device_;
  HostModule* host_;
  ExecutorOptions options_;
  driver::Buffer arena_, code_;
  HostModule::Deadline deadline_ = HostModule::Deadline::max();
};

}  // namespace vta::runtime
