// The graph passes, a file each. Each returns a new graph that computes the same function
// (integerize: up to the rounding of quantised arithmetic).
#pragma once

#include "compiler/graph/passes/pass.h"

namespace vta::compiler {

/// Computes cheap ops on constants; moves reshape and transpose of dequantised constants to the
/// codes.
Graph FoldConstants(const Graph& graph, const PassContext& context);
/// The same, and dequantises constants: those that no integer layer took.
Graph FoldDequantized(const Graph& graph, const PassContext& context);
/// Drops ops that change nothing and merges chains of reshapes; what is cut off an interleaved
/// picture becomes its crops.
Graph RemoveIdentities(const Graph& graph, const PassContext& context);
/// Slices take of the parts of a concatenation; those that are joined again are what they are of.
Graph JoinSlices(const Graph& graph, const PassContext& context);
/// Moves transposes towards the outputs until they cancel, become reshapes or meet an op they
/// cannot pass.
Graph SinkTransposes(const Graph& graph, const PassContext& context);
/// conv2d takes a zero pad before it; conv2d, gemm and matmul take the constants that are added to
/// them, and those that multiply them where their weights are real constants.
Graph FuseIntoLayers(const Graph& graph, const PassContext& context);
/// Quantise-dequantise form -> integer normal form, wherever the arithmetic allows it.
Graph Integerize(const Graph& graph, const PassContext& context);
/// A requant_i8 that only clamps becomes the range of the op before it.
Graph FuseClamps(const Graph& graph, const PassContext& context);
/// The steps of a Gaussian error linear unit become one op.
Graph JoinGelu(const Graph& graph, const PassContext& context);

/// The steps of a normalisation of lines become one op.
Graph JoinNorms(const Graph& graph, const PassContext& context);

/// What is a function of one tensor's codes, by lookups among others, becomes one lookup.
Graph JoinLookups(const Graph& graph, const PassContext& context);
/// What is a function of one tensor's codes, by several ops, becomes a lookup if a target takes it.
Graph JoinFunctions(const Graph& graph, const PassContext& context);
/// Depthwise convolutions of one tap, of real numbers, become products and sums by channel.
Graph ScaleChannels(const Graph& graph, const PassContext& context);
/// Products of two activations, which are real-valued so far, that a target takes as integers.
Graph TakeProducts(const Graph& graph, const PassContext& context);
/// Pixels of codes that are repeated along one or two axes become upsampled if a target takes it.
Graph TakeUpsampling(const Graph& graph, const PassContext& context);
/// Linear resizing by whole factors between codes becomes one op if a target takes it.
Graph TakeResizing(const Graph& graph, const PassContext& context);
/// The rows of a stack of matrices become the pixels of a convolution where a target takes that.
Graph RowsAsPixels(const Graph& graph, const PassContext& context);
/// What is done to each element, or line, of a product of matrices comes before reshapes of it;
/// reshapes of reshapes are one.
Graph SinkReshapes(const Graph& graph, const PassContext& context);
/// Chains of reshapes and transposes become one, or none; integer ops that work on each element
/// pass those by that are made of what a target makes.
Graph JoinMoves(const Graph& graph, const PassContext& context);
/// Channels that are padded behind others are made by the layers that make those.
Graph AlignChannels(const Graph& graph, const PassContext& context);
/// Taps of a convolution's window become channels, by im2col before it, where a target wants it.
Graph FoldWindows(const Graph& graph, const PassContext& context);
/// Channels of zeros fill the blocks of phases that are to be interleaved.
Graph FillPhases(const Graph& graph, const PassContext& context);
/// Makes pads that stop every target from taking a layer a node of their own.
Graph SplitPads(const Graph& graph, const PassContext& context);
/// The convolution that a node is grouped with, or kNone. Shape: uses [values], how often each is
/// read.
NodeId GroupedConvolution(const Graph& graph, const Node& node, const std::vector<int64_t>& uses,
                          const PassContext& context);
/// Groups integer ops that one kernel can compute; none has a target yet, and the ops in no group
/// know why.
Graph FormGroups(const Graph& graph, const PassContext& context);
/// Gives each group to the first target that takes it; what none takes knows why.
Graph PlaceGroups(const Graph& graph, const PassContext& context);
/// Activations between nodes of a target in the target's layout; pack and unpack at the borders.
Graph PackLayout(const Graph& graph, const PassContext& context);

/// Each slice of codes that leave blocks and are moved moves its own.
Graph PartMoves(const Graph& graph, const PassContext& context);
/// What a target with memory of its own would compute between steps of others goes to the next
/// one, where copies would take longer.
Graph LeaveIslands(const Graph& graph, const PassContext& context);
/// Groups on the targets that take any op: what each computes together.
Graph FuseRest(const Graph& graph, const PassContext& context);
/// How activations lie that only one of those touches.
Graph ChooseStorage(const Graph& graph, const PassContext& context);
/// Copies of what steps read that lies in the memory of others.
Graph CopyAtBorders(const Graph& graph, const PassContext& context);

}  // namespace vta::compiler
