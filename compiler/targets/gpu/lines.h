// Softmax and normalisation along the last axis: a block has a line, each of its threads every so
// many-th element; what is one number of all of them comes by way of shared memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/te/te.h"

namespace vta::compiler::targets {

struct GpuLines {
  int64_t threads = 0;
  /// What is computed for them, each before what reads it. Of a block without a reader each thread
  /// has an element, for all of them; of one with a reader each has what that needs, for itself.
  struct Block {
    std::string name, reader;
  };
  std::vector<Block> blocks;
};

/// Threads for a line of the node; 0 where it has none, or short ones.
int64_t ThreadsOfLines(const Graph& graph, const Node& node);

/// The node's result of its input [..., L], as the graph sees it, which "out" is to read. `lines`:
/// its threads are given.
te::Tensor DefineGpuLines(const Node& node, const te::Tensor& x, GpuLines* lines);

}  // namespace vta::compiler::targets
