// Convolution, dense, average pooling and requantisation of the graph as one kind of workload.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/target.h"
#include "compiler/targets/vta/kernels/conv/conv.h"
#include "compiler/targets/vta/lower/phase_places.h"
#include "compiler/targets/vta/lower/weight_terms.h"

namespace vta::compiler::targets {

/// What a graph node states as a convolution.
struct ConvWorkload {
  ConvShape shape;
  isa::RequantLane common;  // zero point and range
  double scale = 1;  // of what becomes of the codes, which are then not rounded to whole ones
  // Of a convolution with weights, in channels:
  int64_t in_channels = 0, out_channels = 0, groups = 1;
  int64_t groups_together = 1;  // in one part of shape.groups
  bool made = false;            // its weights, when it runs
  const Node* prelu = nullptr;  // what bends its codes

  bool has_weights() const { return out_channels > 0; }
  SharedLane shared() const;
  int64_t phases() const { return shape.phases_h * shape.phases_w; }
  /// Where an output channel of the node lies among those of the program, whose blocks are of
  /// `block` channels.
  int64_t PlaceOf(int64_t channel, int64_t block) const;
};

/// How the target has a matmul_i8's matrices and parameters; nothing on configs that take none.
std::optional<ProductBlocks> MatrixBlocks(const isa::Config& config, const Node& node);
/// `interleaves`, if given, takes the node's outputs as phases. A `scale` other than 1, on configs
/// that can only shift, is that of the codes (ConvWorkload::scale).
/// Errors: throws Error at the node with what the target cannot do.
ConvWorkload ConvWorkloadOf(const isa::Config& config, const Graph& graph, const Node& node,
                            const Node* interleaves = nullptr, double scale = 1);
/// How far codes, before they are rounded, may be from the node's.
double ErrorOfCodes(const isa::Config& config, const Graph& graph, const Node& node,
                    const ConvWorkload& workload);
/// How the result of such a node is stored.
PhasePlaces PlacePhases(const isa::Config& config, const Graph& graph, const Node& interleaves,
                        const ConvShape& shape);
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

}  // namespace vta::compiler::targets
