#include "compiler/targets/vta/plan.h"

#include <algorithm>
#include <string>

#include "compiler/graph/ops.h"
#include "compiler/targets/vta/kernels/nodes.h"
#include "compiler/targets/vta/kernels/operators.h"
#include "compiler/targets/vta/lower/intrinsics.h"

namespace vta::compiler::targets {

namespace {

void RequireBlocks(const isa::Config& config, const Graph& graph, const Node& node) {
  if (config.arch.block_in != config.arch.block_out && config.arch.batch > 1)
    Refuse(node, "arch.block_in", std::to_string(config.arch.block_in),
           StrCat("must be arch.block_out, ", config.arch.block_out,
                  ", where arch.batch is more than 1, so that layers pass activations on"));
  if (BlocksOf(config, graph.shape(node.output)).batch == 0)
    Refuse(node, "output shape", ToText(graph.shape(node.output)), "must have rank 2 or 4");
}

/// What a step of several operators has to be.
const Node* SecondOf(const Operator& row, const Graph& graph, std::span<const NodeId> nodes) {
  if (nodes.size() == 1) return nullptr;
  const Node &first = graph.nodes().at(nodes[0]), &second = graph.nodes().at(nodes[1]);
  const bool reads = std::ranges::count(second.inputs, first.output) == 1;
  const bool follows = std::ranges::find(row.seconds, second.op) != row.seconds.end();
  if (nodes.size() != 2 || !reads || !follows)
    Refuse(first, "operators", std::to_string(nodes.size()),
           "must be one, or a convolution and the addition of its result to another tensor, what "
           "interleaves it, or a maximum of it");
  return &second;
}

/// A step and the row of its operator, which does not refuse it.
struct Found {
  Operator row;
  OperatorStep step;

  Found(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes,
        const Searching& searching = {})
      : row(OperatorOf(graph.nodes().at(nodes[0]).op)), step{config,
                                                             graph,
                                                             graph.nodes().at(nodes[0]),
                                                             SecondOf(row, graph, nodes),
                                                             searching,
                                                             nullptr} {
    if (!row.refusal.empty())
      Refuse(step.node, "operator", std::string(Spec(row.op).name), std::string(row.refusal));
  }
};

}  // namespace

void RequireStep(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes,
                 const Searching& searching) {
  RequireBlocks(config, graph, graph.nodes().at(nodes[0]));
  const Found found(config, graph, nodes, searching);
  found.row.require(found.step);
}

std::vector<Work> LayoutsOf(const isa::Config& config, const Graph& graph,
                            std::span<const NodeId> nodes) {
  const Found found(config, graph, nodes);
  return found.row.layouts(found.step);
}

std::optional<Asked> AskedOf(const isa::Config& config, const Graph& graph,
                             std::span<const NodeId> nodes, int64_t macs) {
  const Found found(config, graph, nodes);
  if (!found.row.asked) return std::nullopt;
  return found.row.asked(found.step, macs);
}

StepPlan PlanStep(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes,
                  const Searching& searching, const tune::Decision& decision) {
  RequireBlocks(config, graph, graph.nodes().at(nodes[0]));
  const Found found(config, graph, nodes, searching);
  OperatorStep step = found.step;
  step.point = decision.point;
  StepPlan plan = found.row.plan(step);
  if (decision.trace) {
    plan.schedule = [definition = plan.definition, &config, rounding = graph.rounding(),
                     trace = *decision.trace](const auto&) {
      loop::Schedule schedule(definition, Intrinsics(config, rounding));
      schedule.Replay(trace);
      return schedule;
    };
    plan.decisions.clear();
  }
  return plan;
}

std::unique_ptr<StepSpace> SpaceOf(const isa::Config& config, const Graph& graph,
                                   std::span<const NodeId> nodes, const Searching& searching) {
  RequireBlocks(config, graph, graph.nodes().at(nodes[0]));
  const Found found(config, graph, nodes, searching);
  return found.row.space ? found.row.space(found.step) : nullptr;
}

}  // namespace vta::compiler::targets
