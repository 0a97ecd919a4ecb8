// Functions of codes by what they make of each.
#pragma once

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// What the nodes between `x` and `y`, which depends on no other value that is not constant, make
/// of all codes in each channel. Shape: x, y [N,C,...] int8 -> [C, 256], from code -128 on.
Tensor OverAllCodes(const Graph& graph, ValueId y, ValueId x, int64_t channels);

}  // namespace vta::compiler
