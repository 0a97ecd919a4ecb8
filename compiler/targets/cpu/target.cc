#include "compiler/targets/cpu/target.h"

#include "compiler/graph/ops.h"
#include "compiler/operators/operators.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

bool CpuTarget::CanTake(const Graph& graph, std::span<const NodeId> group, std::string* why) const {
  if (group.size() != 1) {
    if (why) *why = "computes one op at a time";
    return false;
  }
  try {
    operators::Lower(graph, graph.nodes()[group[0]], "kernel");
  } catch (const Error& error) {
    if (why) *why = Error("", error.subject(), error.value(), error.rule()).what();
    return false;
  }
  return true;
}

StepCode CpuTarget::Compile(const Graph& graph, const Step& step, const StepAddresses&) const {
  VTA_CHECK(step.nodes.size() == 1, step.nodes.size());
  const Node& node = graph.nodes()[step.nodes.front()];
  return KernelCode{operators::Lower(graph, node, std::string(Spec(node.op).name)), node.inputs};
}

}  // namespace vta::compiler::targets
