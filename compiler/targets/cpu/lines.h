// Sums and greatest values along the last axis, softmax and normalisation, in lanes: 16 partial
// results a line, of every sixteenth element each, then halves of them on each other. Sums in
// another order than one after the other.
// Softmax along another axis: columns, of which lanes are neighbours.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/targets/cpu/anchors.h"

namespace vta::compiler::targets {

/// The first node of a step that reduces lines along its last axis, of float32 or in sums of int32,
/// long enough for lanes, or columns that are next to enough others; what is before it moves
/// elements or works on each, as does what is behind columns. The number of nodes where there is
/// none.
size_t FindLines(const Graph& graph, std::span<const NodeId> nodes, Arithmetic arithmetic);

/// Whether the node behind a softmax of columns is a sum of each, weighted by constants: a
/// convolution of one tap and one output channel, which is computed with it.
bool WeighsColumns(const Graph& graph, const Node& softmax, const Node& node);

struct Lines {
  std::optional<te::Tensor> value;      // the result as the graph sees it
  std::vector<std::string> in_lanes;    // the reductions, whose innermost axis is lanes
  std::vector<std::string> in_vectors;  // halves of lanes, the innermost axis of each
  std::vector<std::string> of_a_line;   // all that a line needs, each before what it reads
  size_t dimensions = 0;                // of the index of a line
  std::optional<size_t> column;         // the axis of columns
  bool are_summed = false;              // of columns: the result has one number of each

  /// What a line needs before these.
  void Append(const Lines& before);
};
/// `given`: the node's input as the graph sees it; `is_made`: by expressions of the same kernel;
/// `weights`: of WeighsColumns, [1, C, 1, 1], where there are such.
Lines DefineLines(const Graph& graph, const Node& node, const te::Tensor& given, bool is_made,
                  const std::optional<te::Tensor>& weights);

}  // namespace vta::compiler::targets
