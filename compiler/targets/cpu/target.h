// The CPU target: every op as a kernel of loops, what follows it element by element with it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/lower/cpu.h"
#include "compiler/targets/code_target.h"
#include "compiler/targets/cpu/anchors.h"

namespace vta::compiler::targets {

class CpuTarget : public CodeTarget {
 public:
  /// `cpus`: what kernels are scheduled for; none: one schedule for all. `threads`: that run them,
  /// what they are cut for; their results are the same for any.
  explicit CpuTarget(std::vector<lower::CpuSpec> cpus = {},
                     Arithmetic arithmetic = Arithmetic::kFast, int64_t threads = kSomeThreads)
      : cpus_(std::move(cpus)), arithmetic_(arithmetic), threads_(threads) {}

  std::string Name() const override { return "cpu"; }
  /// A node whose element types the loop IR has, and element-wise ones after it.
  bool CanTake(const Graph& graph, std::span<const NodeId> group,
               std::string* why = nullptr) const override;
  bool TakesRest() const override { return true; }
  std::optional<Storage> BlockedLayout(const TensorType& type) const override;
  std::optional<Storage> InputLayout(const Graph& graph, const Node& node) const override;
  Written WrittenAs(const Graph& graph, const Node& node) const override;
  /// Of steps with sums, where kernels are made for one CPU.
  std::unique_ptr<tune::Space> SpaceOf(const Graph& graph, const Step& step) const override;
  StepCode Compile(const Graph& graph, const Step& step, const StepAddresses& addresses,
                   const tune::Decision& decision) const override;

 private:
  std::vector<lower::CpuSpec> cpus_;
  Arithmetic arithmetic_;
  int64_t threads_;
};

}  // namespace vta::compiler::targets
