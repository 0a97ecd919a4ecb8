// Converters between types.
#include "compiler/frontend/tflite/operators.h"

namespace vta::compiler {

/// Of real numbers, or of codes of another scale or type.
void ConvertQuantize(TfliteNode& node) { node.Result(node.Real(0)); }

/// FLOAT16 constants have been widened already.
void ConvertDequantize(TfliteNode& node) { node.ResultStored(node.Real(0)); }

/// Sparse tensors have been filled up already.
void ConvertDensify(TfliteNode& node) { node.ResultStored(node.Stored(0)); }

/// Codes are cast as they are.
void ConvertCast(TfliteNode& node) {
  node.ResultStored(
      node.Emit(Op::kCast, {node.Stored(0)}, {{"to", std::string(Name(node.OutputType()))}}));
}

}  // namespace vta::compiler
