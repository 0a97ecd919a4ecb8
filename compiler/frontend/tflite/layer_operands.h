// What layers share: checks of their operands, and their bias.
#pragma once

#include "compiler/frontend/tflite/node.h"

namespace vta::compiler {

/// Which inputs of a layer are which.
struct TfliteLayerInputs {
  int64_t x = 0, w = 1, bias = 2;
};

/// Adds the bias, as real numbers, to the operands of a layer with so many channels, if it is
/// given. Errors: throws Error unless it has a number for each channel; codes are int32 and count
/// in steps of input scale x weight scale.
void AddBias(TfliteNode& node, const TfliteLayerInputs& inputs, int64_t channels,
             std::vector<ValueId>& operands);

/// `layout` says what an input's dimensions are. Errors: throws Error unless it has that rank.
void RequireRank(TfliteNode& node, int64_t input, int64_t rank, const char* what,
                 const char* layout);

}  // namespace vta::compiler
