#include "tools/vta/common/tensor_file.h"

#include <filesystem>

#include "compiler/frontend/onnx.h"
#include "tools/shared/npy.h"

namespace vta::tools {
namespace {

bool IsOnnx(const std::string& path) { return std::filesystem::path(path).extension() == ".pb"; }

StoredTensor Stored(const compiler::Tensor& tensor) {
  return {std::string(compiler::Name(tensor.dtype())),
          tensor.shape(),
          {tensor.bytes().begin(), tensor.bytes().end()}};
}

compiler::Tensor Known(StoredTensor stored) {
  return {{*compiler::DTypeFromName(stored.type), stored.shape}, std::move(stored.bytes)};
}

}  // namespace

compiler::Tensor ParseTensorFile(std::span<const uint8_t> bytes, const std::string& file) {
  return IsNpy(file) ? Known(ParseNpy(bytes, file)) : compiler::ParseOnnxTensor(bytes, file);
}

std::vector<uint8_t> SerializeTensorFile(const compiler::Tensor& tensor, const std::string& path) {
  return IsNpy(path) ? SerializeNpy(Stored(tensor)) : compiler::SerializeOnnxTensor(tensor);
}

std::vector<std::vector<uint8_t>> ParseSampleFile(std::span<const uint8_t> bytes,
                                                  const std::string& file,
                                                  const isa::PackageTensor& tensor,
                                                  const Encoding& encoding) {
  if (!IsOnnx(file)) return ParseSamples(bytes, file, tensor, encoding);
  return SamplesOf(Stored(compiler::ParseOnnxTensor(bytes, file)), file, tensor, encoding);
}

std::vector<uint8_t> SerializeSampleFile(const std::vector<std::vector<uint8_t>>& samples,
                                         const isa::PackageTensor& tensor,
                                         const std::string& path) {
  if (!IsOnnx(path)) return SerializeSamples(samples, tensor, path);
  return compiler::SerializeOnnxTensor(Known(Joined(samples, tensor)));
}

}  // namespace vta::tools
