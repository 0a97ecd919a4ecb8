// A session's kernels on a GPU: their module, their workspace, and where their tensors lie.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/buffer.h"
#include "driver/gpu.h"
#include "isa/package.h"

namespace vta::runtime {

class GpuKernels {
 public:
  /// `gpu` is borrowed; the arena lies there from `arena` on. `file` names the package in errors.
  /// Errors: throws Error where the GPU does not run the package, or has too little memory.
  GpuKernels(driver::Gpu& gpu, const isa::Package& package, const std::string& file,
             uint64_t arena);
  /// Starts a step's kernel, behind those before. Errors: throws Error where it does not start.
  void Start(const isa::PackageStep& step, int64_t index) {
    module_->Launch(step.kernel, addresses_[index]);
  }
  /// All of them. Errors: as Start.
  void StartAll() { all_->Start(); }

 private:
  std::unique_ptr<driver::GpuModule> module_;
  std::optional<driver::Buffer> workspace_;
  std::vector<std::vector<uint64_t>> addresses_;  // of each step those of its kernel
  std::unique_ptr<driver::GpuGraph> all_;
};

}  // namespace vta::runtime
