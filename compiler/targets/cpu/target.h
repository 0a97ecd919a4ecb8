// The CPU target: every op as a kernel of loops.
#pragma once

#include <span>
#include <string>

#include "compiler/targets/code_target.h"

namespace vta::compiler::targets {

class CpuTarget : public CodeTarget {
 public:
  std::string Name() const override { return "cpu"; }
  /// Any one node whose element types the loop IR has.
  bool CanTake(const Graph& graph, std::span<const NodeId> group,
               std::string* why = nullptr) const override;
  bool TakesRest() const override { return true; }
  StepCode Compile(const Graph& graph, const Step& step,
                   const StepAddresses& addresses) const override;
};

}  // namespace vta::compiler::targets
