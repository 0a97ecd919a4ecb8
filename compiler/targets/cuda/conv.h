// Convolutions and dense layers as products of matrices: weights by columns of taps, a column for
// each place of the result, of which a dense layer has one.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/te/te.h"

namespace vta::compiler::targets {

/// Whether the node is a convolution over all channels of its input, or a product of two matrices
/// of which the first lies row by row.
bool IsProductOfTaps(const Graph& graph, const Node& node);

/// Its result as the graph sees it, of "sums" [N, O, H*W], which are reduced over c, ky and kx of
/// "columns" [N, C, KH, KW, H*W]. `inputs`: the node's, of which the second one has the weights.
te::Tensor DefineProductOfTaps(const Graph& graph, const Node& node,
                               const std::vector<te::Tensor>& inputs);

}  // namespace vta::compiler::targets
