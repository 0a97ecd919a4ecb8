// Tensors of TensorFlow Lite models of which the file has some elements only.
#pragma once

#include <vector>

#include "compiler/frontend/tflite/file.h"
#include "compiler/graph/tensor.h"

namespace vta::compiler {

/// Where the elements that the file has lie in the dense tensor, row by row, in the file's order.
/// Errors: throws Error unless the tree of dimensions covers the shape, its indices lie inside, and
/// it has at most `most` elements.
std::vector<int64_t> SparsePlaces(const tflite_schema::SparsityParameters& sparsity,
                                  const Shape& shape, int64_t most);

/// The bytes of a tensor of `count` elements with these at the places, and zeros.
std::vector<uint8_t> Densified(std::span<const uint8_t> elements, int64_t element_bytes,
                               const std::vector<int64_t>& places, int64_t count);

}  // namespace vta::compiler
