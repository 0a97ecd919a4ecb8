// Average pools whose windows are divided by the taps that they have beside pads: a scale for each
// class of the border.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/vta/kernels/conv/conv.h"

namespace vta::compiler::targets {

/// Of a node with a scale for each place of its result. Errors: throws Error at the node where not
/// all places of a class share one, or the config cannot apply it exactly.
void ReadBorderScales(const isa::Config& config, const Graph& graph, const Node& node,
                      ConvShape* shape);
/// Of each channel block the epilogues of all classes. Shape: [blocks, classes * rows, batch,
/// block_out].
std::vector<int32_t> PackBorderScales(const isa::Config& config, const Graph& graph,
                                      const Node& node, const ConvShape& shape);

}  // namespace vta::compiler::targets
