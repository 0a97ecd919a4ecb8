// Weights rounded by what that does to a layer's outputs, in closed form: what one weight is off is
// made good by those that are rounded after it, as far as their inputs move together.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "compiler/quantize/insert.h"
#include "compiler/quantize/runner.h"

namespace vta::compiler::quantize {

/// Codes of the weights of one output channel; `moments` is symmetric, row by row, and what the
/// error of the outputs is measured by: sum of e[i] e[j] moments[i][j].
/// Never worse by that than the nearest codes.
std::vector<int64_t> RoundByMoments(std::span<const double> weights, double scale,
                                    std::span<const double> moments);

/// By layer: codes in place of the nearest ones, of the scales that the scheme gives them.
/// `central`: biases take back what moves the mean. Source: Frantar et al., "GPTQ", and Nagel et
/// al., "Up or Down? Adaptive Rounding for Post-Training Quantization".
std::map<NodeId, LayerCodes> RoundWeights(const Graph& graph, const Plan& plan,
                                          const Scheme& scheme, const Calibration& calibration,
                                          bool central);

}  // namespace vta::compiler::quantize
