#include "compiler/frontend/model.h"

#include <array>
#include <filesystem>
#include <fstream>

#include "compiler/frontend/onnx.h"
#include "compiler/frontend/tflite.h"
#include "isa/support/file.h"

namespace vta::compiler {

Graph ImportModel(std::span<const uint8_t> bytes, const std::string& file,
                  const ImportOptions& options) {
  return IsTflite(bytes) ? ImportTflite(bytes, file, options) : ImportOnnx(bytes, file, options);
}

Graph ImportModelFile(const std::string& path, const ImportOptions& options) {
  constexpr size_t kHead = 8;
  std::array<char, kHead> head = {};
  std::error_code ignored;  // what cannot be read is refused below
  if (std::filesystem::is_regular_file(path, ignored))
    std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return IsTflite({reinterpret_cast<const uint8_t*>(head.data()), head.size()})
             ? ImportTflite(ReadFile(path), path, options)
             : ImportOnnxFile(path, options);
}

}  // namespace vta::compiler
