// Floats that no target computes with become float32.
#pragma once

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// The graph with float32 in place of float64: inputs, constants, what nodes make. Constants that
/// were computed from others at import have kept their digits until here.
Graph NarrowFloats(const Graph& graph);

}  // namespace vta::compiler
