#include "runtime/modules/gpu_kernels.h"

#include <algorithm>

#include "isa/spec/cpu.h"

namespace vta::runtime {

GpuKernels::GpuKernels(driver::Gpu& gpu, const isa::Package& package, const std::string& file,
                       uint64_t arena)
    : module_(gpu.Load(package, file)) {
  int64_t bytes = 0;
  for (const isa::PackageKernel& kernel : package.kernels)
    bytes = std::max(bytes, kernel.workspace_bytes * kernel.tasks);
  workspace_.emplace(gpu, isa::kGpuCounterBytes + bytes);
  for (const isa::PackageStep& step : package.steps) {
    std::vector<uint64_t>& own = addresses_.emplace_back();
    for (const std::vector<int64_t>* list : {&step.inputs, &step.outputs})
      for (const int64_t tensor : *list)
        own.push_back(arena + static_cast<uint64_t>(package.tensors[tensor].offset_bytes));
    own.push_back(workspace_->address());
  }
  all_ = gpu.Record([&] {
    for (size_t i = 0; i < package.steps.size(); ++i)
      Start(package.steps[i], static_cast<int64_t>(i));
  });
}

}  // namespace vta::runtime
