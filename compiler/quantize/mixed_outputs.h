// Outputs that mix values of different sizes, such as boxes in pixels and scores below 1: one scale
// for all of them would leave the small ones no codes.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/quantize/observe.h"
#include "compiler/quantize/plan.h"

namespace vta::compiler::quantize {

/// Concatenations of the plan that nothing but outputs reads, through moves and each other, and
/// whose parts' ranges are four times apart or more: what each of them makes, by its name. In float
/// they hand on parts that have a scale each.
std::set<std::string> MixedOutputs(const Graph& graph, const Plan& plan,
                                   const std::vector<Observation>& observed);

}  // namespace vta::compiler::quantize
