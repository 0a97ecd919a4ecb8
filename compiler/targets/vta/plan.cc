#include "compiler/targets/vta/plan.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "compiler/graph/ops.h"
#include "compiler/targets/vta/kernels/epilogue.h"
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

/// A step and the row of its operator, which does not refuse it.
struct Found {
  Operator row;
  OperatorStep step;

  Found(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes,
        const Searching& searching = {})
      : row(OperatorOf(graph.nodes().at(nodes[0]).op)),
        step{.config = config,
             .graph = graph,
             .node = graph.nodes().at(nodes[0]),
             .searching = searching} {
    FindOthers(nodes);
    if (!row.refusal.empty())
      Refuse(step.node, "operator", std::string(Spec(row.op).name), std::string(row.refusal));
    if (!step.lookup) return;
    if (!config.arch.lut)
      Refuse(*step.lookup, "arch.lut", "0",
             "a function of one code is a table of 256, and that needs the ALU operation lut");
    if (!graph.constant(step.lookup->inputs[1]))
      Refuse(*step.lookup, "table", graph.value(step.lookup->inputs[1]).name, "must be a constant");
  }

 private:
  void FindOthers(std::span<const NodeId> nodes) {
    if (step.node.op == Op::kLookupI8) step.lookup = &step.node;
    if (step.node.op == Op::kPreluI8) step.prelu = &step.node;
    const Node* last = &step.node;
    for (const NodeId id : nodes.subspan(1)) {
      const Node& node = step.graph.nodes().at(id);
      const bool reads = std::ranges::count(node.inputs, last->output) == 1;
      const bool last_act = step.lookup || step.prelu;
      if (reads && !last_act && node.op == Op::kLookupI8 && TakesLookup())
        step.lookup = &node;
      else if (reads && !last_act && node.op == Op::kPreluI8 && TakesPrelu())
        step.prelu = &node;
      else if (reads && !last_act && !step.second &&
               std::ranges::find(row.seconds, node.op) != row.seconds.end())
        step.second = &node;
      else
        Refuse(step.node, "operators", std::to_string(nodes.size()),
               "must be one, or a convolution and the addition of its result to another tensor, "
               "what interleaves it, or a maximum of it; and a table for the codes of these, but "
               "for a maximum's, or their prelu_i8, but for those of the last two");
      last = &node;
    }
  }
  bool TakesPrelu() const {
    return row.takes_prelu && (!step.second || step.second->op == Op::kAddI8);
  }
  bool TakesLookup() const {
    return row.takes_lookup && !(step.second && step.second->op == Op::kMaxPoolI8);
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

int64_t OffBy(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes) {
  const Found found(config, graph, nodes);
  const int64_t codes = found.row.error ? CodesOff(found.row.error(found.step)) : 0;
  if (!found.step.lookup || codes == 0 || &found.step.node == found.step.lookup) return codes;
  const std::span<const int8_t> table =
      graph.constant(found.step.lookup->inputs[1])->data<int8_t>();
  int64_t most = 0;
  for (int64_t code = 0; code < isa::kLutBytes; ++code)
    for (int64_t other = std::max<int64_t>(code - codes, 0); other < code; ++other)
      most = std::max<int64_t>(most, std::abs(table[code] - table[other]));
  return most;
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
