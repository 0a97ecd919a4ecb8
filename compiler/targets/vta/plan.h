// From one operator of the integer graph to its definition, schedule and constants on VTA.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/loop/schedule/schedule.h"
#include "isa/config.h"

namespace vta::compiler::targets {

struct OperatorPlan {
  loop::Function definition;
  loop::Schedule schedule;
  std::string decisions;  // for people: the tiling
  // What the definition's parameters are: values of the graph, or bytes.
  std::vector<std::pair<std::string, ValueId>> tensors;
  std::vector<std::pair<std::string, std::vector<uint8_t>>> constants;
};

/// Activations of the node are packed or still plain (then the plan is only good for its errors).
/// Errors: throws Error at the node with the reason why the target cannot compute it.
OperatorPlan PlanOperator(const isa::Config& config, const Graph& graph, const Node& node);
/// The same checks, tile search included, without building anything.
void RequireOperator(const isa::Config& config, const Graph& graph, const Node& node);

}  // namespace vta::compiler::targets
