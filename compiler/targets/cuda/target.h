// NVIDIA's GPUs: kernels of blocks of threads, for every op.
#pragma once

#include "compiler/targets/code_target.h"

namespace vta::compiler::targets {

class CudaTarget : public CodeTarget {
 public:
  std::string Name() const override { return "cuda"; }
  /// A node whose element types the loop IR has, and element-wise ones after it.
  bool CanTake(const Graph& graph, std::span<const NodeId> group,
               std::string* why = nullptr) const override;
  bool TakesRest() const override { return true; }
  std::unique_ptr<tune::Space> SpaceOf(const Graph& graph, const Step& step) const override;
  StepCode Compile(const Graph& graph, const Step& step, const StepAddresses& addresses,
                   const tune::Decision& decision) const override;
};

}  // namespace vta::compiler::targets
