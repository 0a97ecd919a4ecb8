// A product of tensors as loops over dimensions, as ZigZag and Timeloop write layers down: what
// each axis of each tensor is indexed with says which layer it is.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/workload/shape_layer.h"

namespace vta::compiler {

/// A dimension times a number.
struct LoopTerm {
  std::string dimension;
  int64_t factor = 1;
};
/// A sum of them, which indexes an axis.
using LoopIndex = std::vector<LoopTerm>;

/// output[...] += weights[...] * input[...] over all dimensions.
struct LoopNest {
  std::string name, where;  // the latter in messages
  std::map<std::string, int64_t> sizes;
  std::vector<LoopIndex> output, weights, input;
  /// By axis of the input how many places before and behind it are no memory.
  std::map<size_t, std::array<int64_t, 2>> pads;
};

/// A dimension that all three have makes groups, one of input and output the batch, of weights and
/// input the channels, of weights and output the filters. An axis of the input with a factor, or
/// with a dimension of the output and one of the weights, is one of a window: two at most. Where
/// there is none the rows of a matrix are the pixels of a picture, which weights are loaded once
/// for. Errors: throws Error at `where` for what is no convolution and no matrix product.
ShapeLayer LayerOf(const LoopNest& nest);

}  // namespace vta::compiler
