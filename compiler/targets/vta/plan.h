// Which steps of the integer graph the target takes, and what each is on VTA by its operator's row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/vta/kernels/step_plan.h"
#include "compiler/targets/vta/kernels/work.h"
#include "isa/config.h"

namespace vta::compiler::targets {

/// One operator; or two, where the first one's row allows the second (a convolution and the
/// addition of its codes to another tensor, or what interleaves its phases). Activations are packed
/// or still plain (then the plan is only good for its errors). Errors: throws Error at a node with
/// the reason why no program can compute the step, or at the step of a trace that does not apply.
StepPlan PlanStep(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes,
                  const Searching& searching = {}, const tune::Decision& decision = {});
/// The schedules of such a step, which refer to all of these; nullptr where there is one. Errors:
/// as PlanStep.
std::unique_ptr<StepSpace> SpaceOf(const isa::Config& config, const Graph& graph,
                                   std::span<const NodeId> nodes, const Searching& searching = {});
/// What each lay-out that there is for the step has the machine do, in no order; one at least.
/// Errors: as PlanStep, but tiles may fit nowhere.
std::vector<Work> LayoutsOf(const isa::Config& config, const Graph& graph,
                            std::span<const NodeId> nodes);
/// What the network asks of a step of so many multiply-accumulates; nothing where no weights tell
/// its channels. Errors: as LayoutsOf.
std::optional<Asked> AskedOf(const isa::Config& config, const Graph& graph,
                             std::span<const NodeId> nodes, int64_t macs);
/// By how many codes the step's result may be from what the graph computes, at most: 0 where the
/// config's arithmetic is the graph's.
int64_t OffBy(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes);
/// The same checks as PlanStep's, tile search included, without building anything.
void RequireStep(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes,
                 const Searching& searching = {});

}  // namespace vta::compiler::targets
