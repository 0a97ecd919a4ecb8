// A step of the integer graph as its operator sees it, and what that makes of it: definition,
// schedule and constants.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/ops.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/vta/kernels/hiding.h"
#include "compiler/targets/vta/lower/phase_places.h"
#include "compiler/targets/vta/lower/weight_terms.h"
#include "isa/config.h"

namespace vta::compiler::targets {

struct OperatorStep {
  const isa::Config& config;
  const Graph& graph;
  const Node& node;
  const Node* second = nullptr;  // what the step does to the node's result
  Hiding hiding = Hiding::kAny;  // how convolutions may hide latency; other kernels have one way

  /// Of the program.
  std::string name() const { return StrCat("vta_", Spec(node.op).name); }
};

struct Scheduled {
  loop::Function definition;
  loop::Schedule schedule;
};

struct StepPlan {
  loop::Function definition;
  loop::Schedule schedule;
  std::string decisions;  // for people: the tiling
  // What the definition's parameters are: values of the graph, or bytes.
  std::vector<std::pair<std::string, ValueId>> tensors;
  std::vector<std::pair<std::string, std::vector<uint8_t>>> constants;
  SparseConstants sparse;  // those of which a program needs only some elements
  std::optional<PhasePlaces>
      phases;  // how the result is stored, where not as the definition has it
};

}  // namespace vta::compiler::targets
