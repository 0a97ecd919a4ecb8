// What converters of quantised operators share: from codes to real values and back.
#pragma once

#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {

/// The scale and zero point at two inputs, as graph constants: one value or one for each index of
/// an axis.
struct Scales {
  ValueId scale, zero_point;
  Tensor values;
};

/// A zero point that is not given is 0 of type `otherwise`.
/// Errors: throws Error naming the node unless all scales are positive and finite.
Scales ReadScales(OnnxNode& node, int64_t scale_input, int64_t zero_input, DType otherwise);
/// dequantize(input) with the scale and zero point of the two inputs after it.
ValueId Dequantize(OnnxNode& node, int64_t input, int64_t axis);
/// An int32 input whose scale is the product of the factor and the scales at two inputs: of x, and
/// of the weights, which may be one for each output channel.
ValueId DequantizeBias(OnnxNode& node, int64_t input, int64_t x_scale, int64_t w_scale,
                       float factor = 1);
/// The node's result: quantize(real) with the scale at an input and the zero point after it, which
/// is a 0 of type `otherwise` where it is not given.
void ResultQuantized(OnnxNode& node, ValueId real, int64_t scale_input,
                     DType otherwise = DType::kUint8);

}  // namespace vta::compiler
