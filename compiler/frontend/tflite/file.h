// The flatbuffer of a TensorFlow Lite model, checked: after this, indices lie in range.
#pragma once

#include <span>
#include <string>

#include "compiler/graph/tensor.h"

namespace vta::compiler {

namespace tflite_schema {
struct Model;
struct SparsityParameters;
struct SubGraph;
struct Tensor;
}  // namespace tflite_schema

/// The model that the bytes hold; it lies in them.
/// Errors: throws Error unless the bytes are a sound flatbuffer of the format's version 3 that has
/// one subgraph, and every index in it is that of something.
const tflite_schema::Model& CheckTfliteFile(std::span<const uint8_t> bytes);

/// "FLOAT32", or "tensor type 99".
std::string TfliteTypeName(int type);
/// "CONV_2D", or "operator 999".
std::string TfliteOperatorName(int code);

}  // namespace vta::compiler
