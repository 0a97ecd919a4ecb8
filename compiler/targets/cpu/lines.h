// Sums and greatest values along the last axis, softmax and normalisation, in lanes: 16 partial
// results a line, of every sixteenth element each. Sums in another order than one after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/targets/cpu/operands.h"

namespace vta::compiler::targets {

/// Whether a node reduces lines of float32 along its last axis, long enough for lanes.
bool ReducesLines(const Graph& graph, const Node& node);

struct Lines {
  std::optional<te::Tensor> value;     // the result as the graph sees it
  std::vector<std::string> in_lanes;   // the reductions whose innermost axis is lanes
  std::vector<std::string> of_a_line;  // all that a line needs, each before what it reads
  size_t dimensions = 0;               // of the index of a line

  /// What a line needs before these.
  void Append(const Lines& before);
};
Lines DefineLines(const Graph& graph, const Node& node, Operands& operands);

}  // namespace vta::compiler::targets
