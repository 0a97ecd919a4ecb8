// What the tensors that become codes hold, over all samples.
#pragma once

#include <vector>

#include "compiler/quantize/histogram.h"
#include "compiler/quantize/plan.h"
#include "compiler/quantize/runner.h"

namespace vta::compiler::quantize {

struct Observation {
  Histogram values;
  /// The largest magnitude in each channel, the second axis; empty for a tensor of fewer axes.
  std::vector<float> channels;
};

/// One for each point.
/// Errors: throws Error where there are no samples, an input is the same number throughout, or a
/// value is NaN or infinite, naming the layer that made it.
std::vector<Observation> Observe(const Graph& graph, std::span<const Point> points,
                                 const Calibration& calibration);

}  // namespace vta::compiler::quantize
