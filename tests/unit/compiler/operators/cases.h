// Every op of the graph, in cases that differ in how it is lowered.
#pragma once

#include <random>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/ops.h"

namespace vta::compiler::operators {

struct Case {
  Op op;
  std::vector<TensorType> inputs;
  Attributes attributes;
};

std::vector<Case> Cases();

/// A graph of the one node, and inputs that its op's meaning allows.
struct Example {
  Graph graph;
  std::vector<Tensor> inputs;
};
Example MakeExample(const Case& c, isa::Rounding rounding, std::mt19937& random);

}  // namespace vta::compiler::operators
