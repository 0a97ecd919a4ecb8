// Convolutions, dense layers and products of matrices as products of weights by columns of taps, a
// column for each place of the result: of a matrix, whose right side are the weights, for each row;
// a dense layer of few rows has one of each.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/gpu/tile.h"
#include "compiler/te/te.h"

namespace vta::compiler::targets {

/// The sizes of a node that is a convolution over all channels of its input, or a product of two
/// matrices of which the first lies row by row, or of as many as there are of either side; absent
/// of another one.
std::optional<GpuProduct> ProductOfTaps(const Graph& graph, const Node& node,
                                        const isa::GpuRow& gpu, isa::Precision precision);

/// Its weights, a constant of the graph, in the order in which threads read them:
/// [channels * taps, outputs], filled up with 0 to whole tiles of outputs, or as WarpWeights.
Tensor WeightsOfTaps(const Graph& graph, const Node& node, const GpuProduct& product,
                     const GpuTile& tile);

/// The left factors of a product as it sums them up, of `x` as the graph sees it: codes 128 higher,
/// and where warps multiply words those, of `stored`, where x lies so, or made here.
te::Tensor FactorsOf(const Graph& graph, const Node& node, const GpuProduct& product,
                     const GpuTile& tile, const te::Tensor& x,
                     const std::optional<te::Tensor>& stored);

/// Whether weights are constants that all of the batch share.
bool HasPackedWeights(const Graph& graph, const Node& node, const GpuProduct& product);

/// Of matrices of a shape, which lie one behind the other: where the n-th is, and which one is at.
std::vector<te::Expr> IndexInBatch(const Shape& shape, const te::Expr& n);
te::Expr NumberInBatch(const Shape& shape, const std::vector<te::Expr>& at);

/// Its result as the graph sees it, of "sums" [team, N, O, H*W], which are reduced over c, ky and
/// kx of "columns" [N, KH, KW, C, H*W] and "weights" [C*KH*KW, O]; of a team they become "parts",
/// and those "total" [N, O, H*W]. O and H*W are those of whole tiles. `inputs`: the node's, of
/// which the first one is as FactorsOf makes it, the second one as WeightsOfTaps does, or as the
/// graph has it, and of codes the third one as BiasOfBiased. Where places are of several images N
/// is 1, and they are all images', one's behind the other's.
te::Tensor DefineProductOfTaps(const Graph& graph, const Node& node,
                               const std::vector<te::Tensor>& inputs, const GpuProduct& product,
                               const GpuTile& tile);

}  // namespace vta::compiler::targets
