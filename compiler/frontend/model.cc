#include "compiler/frontend/model.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "compiler/frontend/onnx.h"
#include "compiler/frontend/tflite.h"
#include "compiler/frontend/workload.h"
#include "isa/support/file.h"

namespace vta::compiler {
namespace {

/// No other format begins with letters and spaces alone.
bool IsText(std::span<const char> head) {
  return std::ranges::all_of(head, [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || (c >= '\t' && c <= '\r');
  });
}

}  // namespace

Graph ImportModel(std::span<const uint8_t> bytes, const std::string& file,
                  const ImportOptions& options) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (IsTflite(bytes)) return ImportTflite(bytes, file, options);
  return IsWorkload(text) ? ImportWorkload(text, file, options) : ImportOnnx(bytes, file, options);
}

Graph ImportModelFile(const std::string& path, const ImportOptions& options) {
  constexpr size_t kHead = 8;
  std::array<char, kHead> head = {};
  std::error_code ignored;  // what cannot be read is refused below
  if (std::filesystem::is_regular_file(path, ignored))
    std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  if (IsTflite({reinterpret_cast<const uint8_t*>(head.data()), head.size()}))
    return ImportTflite(ReadFile(path), path, options);
  if (IsText(head)) {
    const std::string text = ReadTextFile(path);
    if (IsWorkload(text)) return ImportWorkload(text, path, options);
  }
  return ImportOnnxFile(path, options);
}

}  // namespace vta::compiler
