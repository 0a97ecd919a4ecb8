// From a step of the integer graph to its definition, schedule and constants on VTA.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/vta/kernels/hiding.h"
#include "compiler/targets/vta/kernels/work.h"
#include "compiler/targets/vta/lower/phase_places.h"
#include "compiler/targets/vta/lower/weight_terms.h"
#include "isa/config.h"

namespace vta::compiler::targets {

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

/// One operator; or a convolution and the addition of its codes to another tensor, or what
/// interleaves its phases. Activations are packed or still plain (then the plan is only good for
/// its errors). Convolutions hide latency so; other kernels have one way. Errors: throws Error at a
/// node with the reason why no program can compute the step.
StepPlan PlanStep(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes,
                  Hiding hiding = Hiding::kAny);
/// What each lay-out that there is for the step has the machine do, in no order; one at least.
/// Errors: as PlanStep, but tiles may fit nowhere.
std::vector<Work> LayoutsOf(const isa::Config& config, const Graph& graph,
                            std::span<const NodeId> nodes);
/// The same checks, tile search included, without building anything.
void RequireStep(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes,
                 Hiding hiding = Hiding::kAny);

}  // namespace vta::compiler::targets
