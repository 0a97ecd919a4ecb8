// Any bytes either are refused with an Error or are samples of the tensor that the first line
// describes ("int8 float32 0.5 2 3": its type, the type in the file, the scale, the shape), which
// hold a value for each of its elements, be they raw, an *.npy file or an ONNX tensor; and any text
// is refused or is labels.
#include "tools/shared/samples.h"

#include <algorithm>
#include <sstream>

#include "isa/support/error.h"
#include "tools/vta/common/tensor_file.h"

namespace vta::tools {
namespace {

isa::PackageTensor TensorOf(std::istringstream& words) {
  isa::PackageTensor tensor{"t"};
  std::string type;
  words >> type;
  for (isa::ElementType candidate :
       {isa::ElementType::kInt8, isa::ElementType::kUint8, isa::ElementType::kInt16,
        isa::ElementType::kInt32, isa::ElementType::kInt64, isa::ElementType::kFloat32,
        isa::ElementType::kBool})
    if (isa::ElementTypeName(candidate) == type) tensor.type = candidate;
  return tensor;
}

std::vector<std::vector<uint8_t>> Samples(std::span<const uint8_t> bytes, const std::string& file,
                                          const isa::PackageTensor& tensor,
                                          const Encoding& encoding) {
  if (file != "input") {
    const compiler::Tensor stored = ParseTensorFile(bytes, file);
    VTA_CHECK(ParseTensorFile(SerializeTensorFile(stored, file), file) == stored);
  }
  return ParseSampleFile(bytes, file, tensor, encoding);
}

void Try(std::span<const uint8_t> bytes, const std::string& file) {
  const auto end = std::ranges::find(bytes, '\n');
  std::istringstream words(std::string(bytes.begin(), end));
  isa::PackageTensor tensor = TensorOf(words);
  Encoding encoding;
  words >> encoding.type >> encoding.scale;
  if (encoding.type == "-") encoding.type.clear();
  for (int64_t extent; tensor.shape.size() < 4 && words >> extent;)
    tensor.shape.push_back(extent & 63);
  if (end != bytes.end()) bytes = {end + 1, bytes.end()};
  for (const auto& sample : Samples(bytes, file, tensor, encoding)) {
    VTA_CHECK(static_cast<int64_t>(sample.size()) == tensor.bytes(), sample.size());
    const int64_t best = ArgMax(sample, tensor.type);
    VTA_CHECK(best >= 0 && best < tensor.elements(), best);
    VTA_CHECK(Compare(sample, sample, isa::ElementType::kInt8).differing == 0);
  }
}

}  // namespace
}  // namespace vta::tools

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace vta::tools;
  for (const char* file : {"input", "input.npy", "input.pb"}) {
    try {
      Try({data, size}, file);
    } catch (const vta::Error&) {
    }
  }
  try {
    ParseLabels({reinterpret_cast<const char*>(data), size}, "input", 1 + size % 16);
  } catch (const vta::Error&) {
  }
  return 0;
}
