// Tensors in files that say their type and shape, NumPy's *.npy and ONNX's *.pb (TensorProto), as
// the compiler knows them; and samples in files of any kind.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/graph/tensor.h"
#include "tools/shared/samples.h"

namespace vta::tools {

/// Errors: throws Error naming the file, the part of it, the value and the rule.
compiler::Tensor ParseTensorFile(std::span<const uint8_t> bytes, const std::string& file);

/// The bytes of such a file; `path` says which of the two.
std::vector<uint8_t> SerializeTensorFile(const compiler::Tensor& tensor, const std::string& path);

/// As ParseSamples and SerializeSamples, of ONNX's tensors too.
std::vector<std::vector<uint8_t>> ParseSampleFile(std::span<const uint8_t> bytes,
                                                  const std::string& file,
                                                  const isa::PackageTensor& tensor,
                                                  const Encoding& encoding = {});
std::vector<uint8_t> SerializeSampleFile(const std::vector<std::vector<uint8_t>>& samples,
                                         const isa::PackageTensor& tensor, const std::string& path);

}  // namespace vta::tools
