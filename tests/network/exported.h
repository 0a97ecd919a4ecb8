// A graph written as ONNX and read back.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace vta::test {

/// What is written of the graph passes ONNX's own checker, and read back it gives the same bytes
/// for the inputs. What ONNX has no operator or type for may be refused, and is printed.
void ExpectExported(const compiler::Graph& graph, const std::vector<compiler::Tensor>& inputs,
                    const std::vector<compiler::Tensor>& outputs, const std::string& name);

}  // namespace vta::test
