// Weights whose scales are for blocks of an axis, and codes of few bits packed into bytes.
#pragma once

#include <span>
#include <vector>

#include "compiler/frontend/onnx/node.h"

namespace vta::compiler {

/// Codes, and a scale and a zero point for each block of `size` along an axis, the last of which
/// may be cut; kNone: zero points are 0.
struct Blocks {
  ValueId codes, scale, zero;
  int64_t axis, size;
};

/// (codes - zero) * scale in float32.
/// Errors: throws Error naming the node unless there is a scale for each block.
ValueId DequantizeBlocks(OnnxNode& node, const Blocks& blocks);

/// Codes of 2, 4 or 8 bits, the first in the lowest bits of a byte; each row starts a byte.
std::vector<uint8_t> UnpackCodes(std::span<const uint8_t> bytes, int64_t bits, int64_t rows,
                                 int64_t columns);

}  // namespace vta::compiler
