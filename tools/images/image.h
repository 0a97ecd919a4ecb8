// A picture as bytes: what files of pictures are decoded to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vta::images {

/// Shape: pixels [height, width, channels], row-major. Units: codes of 8 bits, 0 to 255; one
/// channel is grey, three are red, green and blue.
struct Image {
  int64_t width = 0, height = 0;
  int64_t channels = 3;
  std::vector<uint8_t> pixels;

  int64_t row_bytes() const { return width * channels; }
};

/// More pixels than any picture that we hold may have: larger ones are refused before there is
/// memory for them.
inline constexpr int64_t kMostPixels = int64_t{1} << 26;

/// Errors: throws Error naming the file and the size, where that is none or has too many pixels.
void RequireSize(int64_t width, int64_t height, const std::string& file);

/// An image with room for its pixels, which are 0. Errors: as RequireSize.
Image Blank(int64_t width, int64_t height, int64_t channels, const std::string& file);

/// "640x480": width before height.
std::string SizeText(int64_t width, int64_t height);

/// Before there is memory for the pixels: a file must have so many bytes for them at least.
/// Errors: throws Error naming the file, which is cut off, its bytes, and the size that it claims.
void RequireBytes(int64_t bytes, int64_t least, int64_t width, int64_t height,
                  const std::string& file);

/// With so many channels, 1 or 3. A colour becomes grey as ITU-R 601-2 weighs it, in 16-bit
/// fixed point; grey becomes three equal channels. Source: Pillow, Image.convert.
Image WithChannels(Image image, int64_t channels);

/// Upright, as the orientation of EXIF, 1 to 8, says how its rows and columns lie.
Image Upright(Image image, int orientation);

}  // namespace vta::images
