#include <cstddef>
#include <string_view>

#include "tools/images/formats.h"

namespace vta::images {
namespace {

// Numbers of a TIFF file, in its byte order; 0 outside of it.
class Tiff {
 public:
  explicit Tiff(std::span<const uint8_t> bytes) : bytes_(bytes) {
    const std::string_view order(reinterpret_cast<const char*>(bytes.data()),
                                 bytes.size() < 2 ? 0 : 2);
    little_ = order == "II";
    known_ = (little_ || order == "MM") && Number(2, 2) == 42;
  }
  bool known() const { return known_; }
  uint32_t Number(size_t at, size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) return 0;
    uint32_t number = 0;
    for (size_t i = 0; i < size; ++i)
      number = number << 8 | bytes_[little_ ? at + size - 1 - i : at + i];
    return number;
  }

 private:
  std::span<const uint8_t> bytes_;
  bool little_ = false, known_ = false;
};

}  // namespace

int ExifOrientation(std::span<const uint8_t> exif) {
  constexpr uint32_t kOrientation = 0x112, kShort = 3, kLong = 4;
  constexpr size_t kEntryBytes = 12;
  const Tiff tiff(exif);
  if (!tiff.known()) return 1;
  const size_t directory = tiff.Number(4, 4), entries = tiff.Number(directory, 2);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + i * kEntryBytes;
    if (tiff.Number(entry, 2) != kOrientation) continue;
    const uint32_t type = tiff.Number(entry + 2, 2);
    const uint32_t value = type == kShort  ? tiff.Number(entry + 8, 2)
                           : type == kLong ? tiff.Number(entry + 8, 4)
                                           : 1;
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

}  // namespace vta::images
