// A network that somebody quantised, and the same without codes between its layers.
#pragma once

#include <set>
#include <string>

#include "compiler/graph/graph.h"
#include "compiler/quantize/insert.h"

namespace vta::compiler::quantize {

/// Whether the graph has codes anywhere.
bool IsQuantised(const Graph& graph);

struct FloatForm {
  Graph real;          // weights are what their codes stand for
  Inserted quantised;  // the graph itself, and the tensors that pass through codes
};

/// Errors: throws Error where no tensor of the graph passes through codes.
FloatForm FloatFormOf(const Graph& quantised);

/// The graph without the codes of what these layers make.
Graph WithoutCodesOf(const Graph& quantised, const std::set<std::string>& layers);

}  // namespace vta::compiler::quantize
