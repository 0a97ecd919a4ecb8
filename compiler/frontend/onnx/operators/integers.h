// Products of codes that operators make while they run.
#pragma once

#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {

/// Codes of weights, their scale and zero point, which may be kNone.
struct CodedWeights {
  ValueId codes, scale, zero;
};

/// x * w + bias, where x is quantised to uint8 by its own range; `bias` may be kNone.
/// Shape: x [...,K], w [K,N] with scales of one element or N.
ValueId DynamicProduct(OnnxNode& node, ValueId x, const CodedWeights& w, ValueId bias);

}  // namespace vta::compiler
