// TensorProto and element types, as our own.
#pragma once

#include <optional>
#include <string>

#include "compiler/graph/tensor.h"

namespace onnx {
class TensorProto;
}

namespace vta::compiler {

/// The element type of a TensorProto.DataType, or nothing if we have no such type. Floats of 16
/// bits are computed in float32.
std::optional<DType> DTypeFromOnnx(int64_t data_type);

/// Its TensorProto.DataType.
int32_t OnnxTypeOf(DType dtype);

/// "FLOAT16": the name of a TensorProto.DataType, as ONNX calls it; its number where it has none.
std::string OnnxTypeName(int64_t data_type);

/// Its element type and dimensions, of which 0 is allowed here. Integers of 4 bits are stored as 8.
/// Errors: throws Error naming `where` and the tensor if the element type is unsupported or the
/// dimensions are negative or too many elements.
TensorType ReadOnnxType(const onnx::TensorProto& proto, const std::string& where);

/// The tensor's data; booleans are normalised to 0 and 1. What lies in another file is read from
/// `folder` (compiler/frontend/onnx/external.h).
/// Errors: throws Error as ReadOnnxType and ReadExternal do, or if the data's length is not what
/// the dimensions ask for.
Tensor ReadOnnxTensor(const onnx::TensorProto& proto, const std::string& where,
                      const std::string& folder = "");

/// All of a tensor but its name.
void WriteOnnxTensor(const Tensor& tensor, onnx::TensorProto& proto);

}  // namespace vta::compiler
