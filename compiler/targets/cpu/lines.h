// Sums and greatest values along the last axis, softmax and normalisation, in lanes: 16 partial
// results a line, of every sixteenth element each. Sums in another order than one after the other.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/targets/cpu/anchors.h"

namespace vta::compiler::targets {

/// The first node of a step that reduces lines along its last axis, of float32 or in sums of int32,
/// long enough for lanes; what is before it moves elements or works on each. The number of nodes
/// where there is none.
size_t FindLines(const Graph& graph, std::span<const NodeId> nodes, Arithmetic arithmetic);

struct Lines {
  std::optional<te::Tensor> value;     // the result as the graph sees it
  std::vector<std::string> in_lanes;   // the reductions whose innermost axis is lanes
  std::vector<std::string> of_a_line;  // all that a line needs, each before what it reads
  size_t dimensions = 0;               // of the index of a line

  /// What a line needs before these.
  void Append(const Lines& before);
};
/// `given`: the node's input as the graph sees it; `is_made`: by expressions of the same kernel.
Lines DefineLines(const Graph& graph, const Node& node, const te::Tensor& given, bool is_made);

}  // namespace vta::compiler::targets
