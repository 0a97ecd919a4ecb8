// GPUs: kernels of blocks of threads, for every op.
#pragma once

#include "compiler/targets/code_target.h"
#include "isa/spec/gpu.h"

namespace vta::compiler::targets {

class GpuTarget : public CodeTarget {
 public:
  /// `precision`: one that the row says it has.
  explicit GpuTarget(const isa::GpuRow& gpu, isa::Precision precision = isa::Precision::kFp32)
      : gpu_(gpu), precision_(precision) {}
  std::string Name() const override { return std::string(gpu_.name); }
  /// A node whose element types the loop IR has, and element-wise ones after it.
  bool CanTake(const Graph& graph, std::span<const NodeId> group,
               std::string* why = nullptr) const override;
  bool TakesRest() const override { return true; }
  bool HasOwnMemory() const override { return true; }
  /// int8 codes of rank 4 lie four channels in a word, 128 higher: what is made by convolutions
  /// over all channels, and what these read.
  std::optional<Storage> BlockedLayout(const TensorType& type) const override;
  std::optional<Storage> InputLayout(const Graph& graph, const Node& node) const override;
  bool WritesBlocked(const Graph& graph, const Node& node) const override;
  /// Products of matrices, whatever moves follow.
  bool WritesRows(const Graph& graph, const Node& node) const override;
  std::unique_ptr<tune::Space> SpaceOf(const Graph& graph, const Step& step) const override;
  StepCode Compile(const Graph& graph, const Step& step, const StepAddresses& addresses,
                   const tune::Decision& decision) const override;

 private:
  bool MovesBehind(const Graph& graph, std::span<const NodeId> group) const;

  const isa::GpuRow& gpu_;
  const isa::Precision precision_;
};

/// NVIDIA's.
class CudaTarget : public GpuTarget {
 public:
  explicit CudaTarget(isa::Precision precision = isa::Precision::kFp32)
      : GpuTarget(isa::kCudaGpu, precision) {}
};

/// Those that OpenCL runs.
class OpenClTarget : public GpuTarget {
 public:
  OpenClTarget() : GpuTarget(isa::kOpenClGpu) {}
};

}  // namespace vta::compiler::targets
