// TensorProto and element types, as our own.
#pragma once

#include <optional>
#include <string>

#include "compiler/graph/tensor.h"

namespace onnx {
class TensorProto;
}

namespace vta::compiler {

/// The element type of a TensorProto.DataType, or nothing if we have no such type.
std::optional<DType> DTypeFromOnnx(int64_t data_type);

/// Its TensorProto.DataType.
int32_t OnnxTypeOf(DType dtype);

/// "FLOAT16": the name of a TensorProto.DataType, as ONNX calls it; its number where it has none.
std::string OnnxTypeName(int64_t data_type);

/// The tensor's data. Dimensions of 0 are allowed here; booleans are normalised to 0 and 1.
/// Errors: throws Error naming `where` and the tensor if the type is unsupported, the data is
/// external or its length is not what the dimensions ask for.
Tensor ReadOnnxTensor(const onnx::TensorProto& proto, const std::string& where);

/// All of a tensor but its name.
void WriteOnnxTensor(const Tensor& tensor, onnx::TensorProto& proto);

}  // namespace vta::compiler
