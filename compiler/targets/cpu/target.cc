#include "compiler/targets/cpu/target.h"

#include "compiler/graph/ops.h"
#include "compiler/operators/operators.h"
#include "compiler/targets/cpu/epilogue.h"
#include "compiler/targets/cpu/layout.h"
#include "compiler/targets/cpu/schedule.h"
#include "compiler/targets/cpu/space.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

bool CpuTarget::CanTake(const Graph& graph, std::span<const NodeId> group, std::string* why) const {
  if (!IsEpilogue(graph, group, arithmetic_, why)) return false;
  const Node &first = graph.nodes()[group.front()], &last = graph.nodes()[group.back()];
  if (group.size() > 1 && FindAnchor(graph, first, arithmetic_) &&
      !targets::BlockedLayout(graph.type(last.output))) {
    if (why) *why = "writes tiles of int8 and float32 only";
    return false;
  }
  try {
    for (NodeId node : group) operators::Lower(graph, graph.nodes()[node], "kernel");
  } catch (const Error& error) {
    if (why) *why = Error("", error.subject(), error.value(), error.rule()).what();
    return false;
  }
  return true;
}

std::optional<Storage> CpuTarget::BlockedLayout(const TensorType& type) const {
  return targets::BlockedLayout(type);
}

std::optional<Storage> CpuTarget::InputLayout(const Graph& graph, const Node& node) const {
  return targets::InputLayout(graph, node, arithmetic_);
}

Written CpuTarget::WrittenAs(const Graph& graph, const Node& node) const {
  return WritesBlocked(graph, node, arithmetic_) ? Written::kBlocks : Written::kEither;
}

std::unique_ptr<tune::Space> CpuTarget::SpaceOf(const Graph& graph, const Step& step) const {
  if (cpus_.size() != 1) return nullptr;
  StepExpression expression = Express(graph, step.nodes, arithmetic_);
  if (expression.sums.reduce.empty()) return nullptr;
  return std::make_unique<CpuSpace>(graph, step, std::move(expression), RegistersOf(cpus_[0]),
                                    threads_);
}

StepCode CpuTarget::Compile(const Graph& graph, const Step& step, const StepAddresses&,
                            const tune::Decision& decision) const {
  if (decision.trace) throw Error("", "target", "cpu", "traces are of steps on vta");
  StepExpression expression = Express(graph, step.nodes, arithmetic_);
  KernelCode code{{}, std::move(expression.inputs)};
  if (expression.sums.winograd) code.method = "sums up 3x3 windows by Winograd's F(4x4, 3x3)";
  const auto add = [&](const Registers& registers) {
    const KernelPlan rule = ChoosePlan(graph, step.nodes, expression, registers, threads_);
    code.functions.push_back(Scheduled(graph, step.nodes, expression,
                                       decision.point ? PlanAt(*decision.point, rule) : rule));
  };
  for (const lower::CpuSpec& cpu : cpus_) add(RegistersOf(cpu));
  if (cpus_.empty()) add(kWidest);
  return code;
}

}  // namespace vta::compiler::targets
