// For each tensor the method of calibration that its network's outputs like best.
#pragma once

#include <span>
#include <vector>

#include "compiler/quantize/range.h"
#include "compiler/quantize/trial.h"

namespace vta::compiler::quantize {

/// A method, and what a network has by it alone.
struct Candidate {
  Method method;
  Setting setting;
};

/// The network's multiply-accumulates in layers.
int64_t MacsOf(const Graph& graph, const Plan& plan);

/// How often networks of this size are tried: so often that it takes seconds, of large ones tens of
/// them. Units: runs of a sample.
int64_t RunsFor(int64_t macs);

/// By point; those of a group have one method. It starts with the best candidate and turns groups
/// of tensors to others, all at first, then halves of what was worse, as long as there are `runs`.
std::vector<Method> Mix(const Trial& trial, const Plan& plan, std::span<const Candidate> candidates,
                        int64_t runs);

}  // namespace vta::compiler::quantize
