// The decoder of each kind of file; Decode() chooses among them.
#pragma once

#include <span>
#include <string>

#include "tools/images/image.h"

namespace vta::images {

/// As Decode, of bytes that begin as this kind of file does.
Image DecodePng(std::span<const uint8_t> bytes, const std::string& file);
Image DecodeJpeg(std::span<const uint8_t> bytes, const std::string& file);
Image DecodeNetpbm(std::span<const uint8_t> bytes, const std::string& file);

/// The orientation that an EXIF block, a TIFF file without pictures, gives: 1, upright, where it
/// gives none or is broken.
int ExifOrientation(std::span<const uint8_t> exif);

}  // namespace vta::images
