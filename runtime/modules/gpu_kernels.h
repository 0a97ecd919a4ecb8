// A session's part in a GPU: its memory there, the kernels, and those that are started together.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/buffer.h"
#include "driver/gpu.h"
#include "isa/package.h"

namespace vta::runtime {

class GpuKernels {
 public:
  /// Takes all memory and uploads the constants. `gpu` and `package` are borrowed; `file` names the
  /// package in errors.
  /// Errors: throws Error where the GPU does not run the package, or has too little memory.
  GpuKernels(driver::Gpu& gpu, const isa::Package& package, const std::string& file);

  /// As GpuModule.
  bool is_from_cache() const { return module_->is_from_cache(); }
  /// Of a tensor that lies there. Both wait for what was started before.
  void CopyIn(const isa::PackageTensor& tensor, std::span<const uint8_t> bytes) {
    arena_.CopyIn(At(tensor), bytes);
  }
  void CopyOut(const isa::PackageTensor& tensor, std::span<uint8_t> bytes) const {
    arena_.CopyOut(At(tensor), bytes);
  }
  /// Starts a step's kernel, behind those before. Errors: throws Error where it does not start.
  void Start(int64_t step) { module_->Launch(package_.steps[step].kernel, addresses_.at(step)); }
  /// Of a step for the GPU, behind one that is not: starts it and all for the GPU that follow, as
  /// one. Returns the step that is next. Errors: as Start.
  int64_t StartFrom(int64_t step);

 private:
  int64_t At(const isa::PackageTensor& tensor) const {
    return tensor.offset_bytes - package_.host_bytes();
  }
  struct Together {
    int64_t end = 0;  // the step behind the last
    std::unique_ptr<driver::GpuGraph> graph;
  };

  const isa::Package& package_;
  std::unique_ptr<driver::GpuModule> module_;
  driver::Buffer arena_;
  std::optional<driver::Buffer> workspace_;
  std::map<int64_t, std::vector<uint64_t>> addresses_;  // of each step's kernel
  std::map<int64_t, Together> together_;                // by the first step
};

}  // namespace vta::runtime
