// Cross-layer equalisation: a channel between two layers is made larger by the one and smaller by
// the other, so that all channels use the range of the codes between them.
#pragma once

#include <vector>

#include "compiler/quantize/observe.h"
#include "compiler/quantize/plan.h"

namespace vta::compiler::quantize {

/// The same function with other weights, where two convolutions follow each other with nothing or
/// a relu between; `layers` (may be null) counts them. A depthwise convolution takes any factor
/// into the scale of its channel's weights; in another the factors' square roots are left to it.
Graph Equalise(const Graph& graph, const Plan& plan, const std::vector<Observation>& observed,
               int64_t* layers = nullptr);

}  // namespace vta::compiler::quantize
