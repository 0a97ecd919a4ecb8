// What else could be done to a quantised network, done: which changes help its outputs.
#pragma once

#include <vector>

#include "tools/vta/accuracy/eval_network.h"

namespace vta::tools {

/// Tries the other methods of calibration, the other choice of equalisation, and each of the worst
/// layers in float, on the first samples; of a network that was quantised before only the last.
void TryChanges(const compiler::Graph& imported, const compiler::quantize::Calibration& calibration,
                const compiler::quantize::Options& asked, const Compared& compared,
                EvalReport* report);

}  // namespace vta::tools
