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
  /// What is of rank 4 lies several channels in a word: codes of int8, 128 higher, and where
  /// numbers of 16 bits are multiplied floats as those. So does what is made by convolutions that
  /// read such words, and what these read.
  std::optional<Storage> BlockedLayout(const TensorType& type) const override;
  std::optional<Storage> InputLayout(const Graph& graph, const Node& node) const override;
  /// Products of matrices write rows, whatever moves follow, and what goes line by line.
  Written WrittenAs(const Graph& graph, const Node& node) const override;
  std::unique_ptr<tune::Space> SpaceOf(const Graph& graph, const Step& step) const override;
  StepCode Compile(const Graph& graph, const Step& step, const StepAddresses& addresses,
                   const tune::Decision& decision) const override;

 private:
  bool ReadsWords(const Graph& graph, const Node& node) const;
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
