// Tensors in files that say their type and shape: NumPy's *.npy and ONNX's *.pb (TensorProto).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/graph/tensor.h"

namespace vta::tools {

/// Whether a file holds such a tensor, by its name.
bool IsTensorFile(const std::string& path);

/// Errors: throws Error naming the file, the part of it, the value and the rule.
compiler::Tensor ParseTensorFile(std::span<const uint8_t> bytes, const std::string& file);
compiler::Tensor ParseNpy(std::span<const uint8_t> bytes, const std::string& file);

/// The bytes of such a file; `path` says which of the two.
std::vector<uint8_t> SerializeTensorFile(const compiler::Tensor& tensor, const std::string& path);

}  // namespace vta::tools
