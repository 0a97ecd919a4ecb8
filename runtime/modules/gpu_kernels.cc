#include "runtime/modules/gpu_kernels.h"

#include <algorithm>

#include "isa/spec/cpu.h"

namespace vta::runtime {

GpuKernels::GpuKernels(driver::Gpu& gpu, const isa::Package& package, const std::string& file)
    : package_(package),
      module_(gpu.Load(package, file)),
      arena_(gpu, package.arena_bytes - package.host_bytes()) {
  if (!package.GpuConstants().empty())
    arena_.CopyIn(
        std::max(package.constants_offset_bytes, package.host_bytes()) - package.host_bytes(),
        package.GpuConstants());
  int64_t bytes = 0;
  for (const isa::PackageKernel& kernel : package.kernels)
    if (kernel.IsForGpu()) bytes = std::max(bytes, kernel.workspace_bytes * kernel.tasks);
  workspace_.emplace(gpu, isa::kGpuCounterBytes + bytes);
  const int64_t steps = std::ssize(package.steps);
  for (int64_t i = 0; i < steps; ++i) {
    const isa::PackageStep& step = package.steps[i];
    if (!package.IsOnGpu(step)) continue;
    std::vector<uint64_t>& own = addresses_[i];
    for (const std::vector<int64_t>* list : {&step.inputs, &step.outputs})
      for (const int64_t tensor : *list)
        own.push_back(arena_.address() + static_cast<uint64_t>(At(package.tensors[tensor])));
    own.push_back(workspace_->address());
  }
  for (int64_t begin = 0, end; begin < steps; begin = end) {
    end = begin + 1;
    if (!package.IsOnGpu(package.steps[begin])) continue;
    while (end < steps && package.IsOnGpu(package.steps[end])) ++end;
    together_[begin] = {end, gpu.Record([&] {
                          for (int64_t i = begin; i < end; ++i) Start(i);
                        })};
  }
}

int64_t GpuKernels::StartFrom(int64_t step) {
  const Together& together = together_.at(step);
  together.graph->Start();
  return together.end;
}

}  // namespace vta::runtime
