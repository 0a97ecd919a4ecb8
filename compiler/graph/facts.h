// What a step of the graph computes, in the network's own terms: for reports.
#pragma once

#include "compiler/graph/schedule.h"
#include "isa/package.h"

namespace vta::compiler {

/// The multiply-accumulates of a convolution, a dense layer or a product of matrices, without any
/// padding of channels; 0 of other nodes.
int64_t MacsOf(const Graph& graph, const Node& node);

/// The ops joined by '+', the shapes as CxHxW with kernel and stride, and the multiply-accumulates
/// of convolutions and dense layers without any padding of channels.
isa::LayerFacts FactsOf(const Graph& graph, const Step& step);

}  // namespace vta::compiler
