#include "compiler/targets/cuda/target.h"

#include "compiler/graph/ops.h"
#include "compiler/operators/chain.h"
#include "compiler/operators/operators.h"
#include "compiler/targets/cuda/express.h"
#include "compiler/targets/cuda/schedule.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

loop::Function ScheduleOf(const GpuExpression& expression) {
  return expression.tile ? ScheduledInTiles(expression.function, *expression.tile)
                         : ScheduledForGpu(expression.function);
}

}  // namespace

bool GpuTarget::CanTake(const Graph& graph, std::span<const NodeId> group, std::string* why) const {
  std::string broken;
  for (size_t i = 1; i < group.size() && broken.empty(); ++i)
    broken = operators::WhyNotBehind(graph, graph.nodes()[group[i]], graph.nodes()[group[i - 1]]);
  try {
    for (NodeId node : group) operators::Lower(graph, graph.nodes()[node], "kernel");
  } catch (const Error& error) {
    broken = Error("", error.subject(), error.value(), error.rule()).what();
  }
  if (why && !broken.empty()) *why = broken;
  return broken.empty();
}

StepCode GpuTarget::Compile(const Graph& graph, const Step& step, const StepAddresses&,
                            const tune::Decision& decision) const {
  if (decision.trace) throw Error("", "target", Name(), "traces are of steps on vta");
  GpuExpression expression = ExpressForGpu(graph, step.nodes, gpu_);
  return KernelCode{{ScheduleOf(expression)}, std::move(expression.inputs)};
}

}  // namespace vta::compiler::targets
