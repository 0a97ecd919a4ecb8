#include "compiler/frontend/model.h"

#include "compiler/frontend/onnx.h"
#include "compiler/frontend/tflite.h"
#include "isa/support/file.h"

namespace vta::compiler {

Graph ImportModel(std::span<const uint8_t> bytes, const std::string& file,
                  const ImportOptions& options) {
  return IsTflite(bytes) ? ImportTflite(bytes, file, options) : ImportOnnx(bytes, file, options);
}

Graph ImportModelFile(const std::string& path, const ImportOptions& options) {
  return ImportModel(ReadFile(path), path, options);
}

}  // namespace vta::compiler
