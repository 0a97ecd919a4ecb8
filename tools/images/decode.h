// Files of pictures: PNG, JPEG, and netpbm's PPM and PGM.
#pragma once

#include <span>
#include <string>

#include "tools/images/image.h"

namespace vta::images {

/// More bytes than a file of a picture may hold.
inline constexpr int64_t kMostImageFileBytes = int64_t{1} << 28;

/// Whether a path names such a file, by its ending, in capitals or not.
bool IsImageFile(const std::string& path);
/// The endings, for messages and help.
inline constexpr char kImageEndings[] = ".png, .jpg, .jpeg, .ppm, .pgm";

/// The picture that a file holds, upright, with 1 channel where it is grey and 3 where it is not.
/// What the file begins with says which kind it is. Colours are taken as stored: profiles and gamma
/// are left alone, and so is transparency, as if every pixel were opaque. Of 16-bit samples the
/// high 8 bits count in PNG; netpbm's are scaled from their largest value to 255.
/// Errors: throws Error naming the file and what is wrong: another kind of file, one that is cut
/// off or damaged, more than kMostPixels, colours of print (CMYK).
Image Decode(std::span<const uint8_t> bytes, const std::string& file);

}  // namespace vta::images
