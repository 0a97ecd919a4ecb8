// GPUs: kernels of blocks of threads, for every op.
#pragma once

#include "compiler/targets/code_target.h"
#include "isa/spec/gpu.h"

namespace vta::compiler::targets {

class GpuTarget : public CodeTarget {
 public:
  explicit GpuTarget(const isa::GpuRow& gpu) : gpu_(gpu) {}
  std::string Name() const override { return std::string(gpu_.name); }
  /// A node whose element types the loop IR has, and element-wise ones after it.
  bool CanTake(const Graph& graph, std::span<const NodeId> group,
               std::string* why = nullptr) const override;
  bool TakesRest() const override { return true; }
  bool HasOwnMemory() const override { return true; }
  std::unique_ptr<tune::Space> SpaceOf(const Graph& graph, const Step& step) const override;
  StepCode Compile(const Graph& graph, const Step& step, const StepAddresses& addresses,
                   const tune::Decision& decision) const override;

 private:
  const isa::GpuRow& gpu_;
};

/// NVIDIA's.
class CudaTarget : public GpuTarget {
 public:
  CudaTarget() : GpuTarget(isa::kCudaGpu) {}
};

/// Those that OpenCL runs.
class OpenClTarget : public GpuTarget {
 public:
  OpenClTarget() : GpuTarget(isa::kOpenClGpu) {}
};

}  // namespace vta::compiler::targets
