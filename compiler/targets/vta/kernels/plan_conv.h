// Convolution, dense, average pooling and requantisation of the graph as one kind of workload.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/vta/kernels/conv.h"
#include "compiler/targets/vta/lower/phase_places.h"
#include "compiler/targets/vta/lower/weight_terms.h"

namespace vta::compiler::targets {

/// Says of a node what it has and the rule that this breaks.
[[noreturn]] void Refuse(const Node& node, const std::string& what, const std::string& value,
                         const std::string& rule);

/// Sizes of an activation in blocks, packed or plain. Errors: none; other ranks give zeros.
struct BlockSizes {
  int64_t batch = 0, channels = 0, height = 0, width = 0;
};
BlockSizes BlocksOf(const isa::Config& config, const Shape& shape);

/// What a graph node states as a convolution.
struct ConvWorkload {
  ConvShape shape;
  isa::RequantLane common;  // zero point and range
  double scale = 1;  // of what becomes of the codes, which are then not rounded to whole ones
  // Of a convolution with weights, in channels:
  int64_t in_channels = 0, out_channels = 0, groups = 1;
  int64_t groups_together = 1;  // in one part of shape.groups

  bool has_weights() const { return out_channels > 0; }
  SharedLane shared() const;
  int64_t phases() const { return shape.phases_h * shape.phases_w; }
  /// Where an output channel of the node lies among those of the program, whose blocks are of
  /// `block` channels.
  int64_t PlaceOf(int64_t channel, int64_t block) const;
};

/// `interleaves`, if given, takes the node's outputs as phases. A `scale` other than 1, on configs
/// that can only shift, is that of the codes (ConvWorkload::scale).
/// Errors: throws Error at the node with what the target cannot do.
ConvWorkload ConvWorkloadOf(const isa::Config& config, const Graph& graph, const Node& node,
                            const Node* interleaves = nullptr, double scale = 1);
/// How the result of such a node is stored.
PhasePlaces PlacePhases(const isa::Config& config, const Graph& graph, const Node& interleaves,
                        const ConvShape& shape);
/// Window attributes (strides, pads, and dilations where the node has them) into `shape`.
/// A pad value that the config cannot make asks for border rows. Errors: throws Error where pads
/// are wider than a DMA can make.
void ReadWindow(const isa::Config& config, const Node& node, int64_t pad_value, ConvShape* shape);

/// Shape: as the parameter w of DefineConv.
std::vector<uint8_t> PackWeights(const isa::Config& config, const Graph& graph, const Node& node,
                                 const ConvWorkload& workload);
/// Of the further terms of such weights those elements that are not 0, and so of all terms where
/// taps are absent.
StoredElements StoredWeights(const isa::Config& config, std::span<const uint8_t> packed,
                             const ConvShape& shape);
/// Shape: as the parameter p.
std::vector<uint8_t> PackLanes(const isa::Config& config, const Graph& graph, const Node& node,
                               const ConvWorkload& workload);

/// Whether a lane, its scale absorbed, needs EpilogueKind::kWideShift. Errors: throws Error at the
/// node where it would shift to the left.
bool NeedsWideShift(const isa::Config& config, const Node& node, const isa::RequantLane& lane);

/// The lane that a node's scalar attributes describe.
isa::RequantLane LaneOf(const Node& node);
/// Weights that give each channel of a block to itself, times `value`. Shape: [out_parts, in_parts,
/// block_out, block_in].
std::vector<uint8_t> Diagonal(const isa::Config& config, int8_t value);
std::vector<uint8_t> Bytes(const std::vector<int32_t>& values);

}  // namespace vta::compiler::targets
