#include "tools/images/decode.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "isa/support/error.h"
#include "tools/images/formats.h"

namespace vta::images {

bool IsImageFile(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& letter : ending)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (ending.empty()) return false;
  std::string_view endings = kImageEndings;
  for (size_t at; (at = endings.find(ending)) != std::string_view::npos;) {
    endings.remove_prefix(at + ending.size());
    if (endings.empty() || endings[0] == ',') return true;
  }
  return false;
}

Image Decode(std::span<const uint8_t> bytes, const std::string& file) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x89PNG\r\n\x1a\n")) {
#ifdef VTA_READS_PNG
    return DecodePng(bytes, file);
#endif
    throw Error(file, "", "", "this build reads no PNG: libpng was not there when it was built");
  }
  if (text.starts_with("\xff\xd8\xff")) {
#ifdef VTA_READS_JPEG
    return DecodeJpeg(bytes, file);
#endif
    throw Error(file, "", "", "this build reads no JPEG: libjpeg was not there when it was built");
  }
  if (text.starts_with("P5") || text.starts_with("P6")) return DecodeNetpbm(bytes, file);
  throw Error(file, "", "", "is no picture in PNG, JPEG, or PPM or PGM in bytes (P6, P5)");
}

}  // namespace vta::images
