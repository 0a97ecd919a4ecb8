// Writes a graph of the IR as an ONNX model that other tools run.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// A serialised ModelProto of the least opset from 13 to 21 that has the graph's operators for its
/// types; constants are initializers. Inputs and outputs keep their names, all other values and the
/// nodes where those before them leave them free. The bytes depend on the graph alone.
/// Errors: throws Error naming the op and the node that ONNX cannot express and why (integer normal
/// form and packed layouts have no operators there), or for 2 GiB and more.
std::vector<uint8_t> ExportOnnx(const Graph& graph);

}  // namespace vta::compiler
