// Constants of one element, which patterns of ops have.
#pragma once

#include <optional>

#include "compiler/graph/graph.h"

namespace vta::compiler {

/// The float32 number that a value is, or nothing.
inline std::optional<double> NumberOf(const Graph& graph, ValueId value) {
  const Tensor* constant = graph.constant(value);
  if (!constant || constant->dtype() != DType::kFloat32 || constant->elements() != 1)
    return std::nullopt;
  return constant->data<float>()[0];
}

}  // namespace vta::compiler
