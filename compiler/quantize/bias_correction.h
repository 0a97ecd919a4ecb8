// What quantised weights and inputs move the mean of a layer's channels by, taken back by its bias.
#pragma once

#include <map>
#include <vector>

#include "compiler/quantize/insert.h"
#include "compiler/quantize/runner.h"

namespace vta::compiler::quantize {

/// For each layer that can have a bias, what to add to it: each reads what the float graph
/// computes, through codes, so that no layer corrects what one before it did.
std::map<NodeId, std::vector<float>> BiasCorrections(const Graph& graph, const Plan& plan,
                                                     const Inserted& quantised,
                                                     const Calibration& calibration);

}  // namespace vta::compiler::quantize
