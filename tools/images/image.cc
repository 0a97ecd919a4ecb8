#include "tools/images/image.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::images {

std::string SizeText(int64_t width, int64_t height) { return StrCat(width, "x", height); }

void RequireSize(int64_t width, int64_t height, const std::string& file) {
  if (width < 1 || height < 1)
    throw Error(file, "size", SizeText(width, height), "a picture has pixels");
  if (width > kMostPixels / height)
    throw Error(file, "size", SizeText(width, height),
                StrCat("is more than the ", kMostPixels, " pixels that a picture may have"));
}

Image Blank(int64_t width, int64_t height, int64_t channels, const std::string& file) {
  RequireSize(width, height, file);
  Image image{width, height, channels, {}};
  image.pixels.resize(static_cast<size_t>(width * height * channels));
  return image;
}

void RequireBytes(int64_t bytes, int64_t least, int64_t width, int64_t height,
                  const std::string& file) {
  if (bytes < least)
    throw Error(file, "pixels", Counted(bytes, "byte"),
                StrCat("is cut off: ", SizeText(width, height), " takes ", least, " or more"));
}

Image WithChannels(Image image, int64_t channels) {
  if (image.channels == channels) return image;
  Image out = Blank(image.width, image.height, channels, "");
  const uint8_t* in = image.pixels.data();
  if (channels == 1) {
    constexpr int kRed = 19595, kGreen = 38470, kBlue = 7471, kHalf = 1 << 15;  // of 2^16
    for (uint8_t& grey : out.pixels) {
      grey = static_cast<uint8_t>((in[0] * kRed + in[1] * kGreen + in[2] * kBlue + kHalf) >> 16);
      in += 3;
    }
  } else {
    for (size_t i = 0; i < out.pixels.size(); ++i) out.pixels[i] = in[i / 3];
  }
  return out;
}

Image Upright(Image image, int orientation) {
  if (orientation < 2 || orientation > 8) return image;
  const auto is_any = [&](std::initializer_list<int> which) {
    return std::ranges::find(which, orientation) != which.end();
  };
  const bool swaps = orientation > 4;  // rows and columns
  const bool from_right = is_any({2, 3, 7, 8}), from_bottom = is_any({3, 4, 6, 7});
  Image out = image;
  if (swaps) std::swap(out.width, out.height);
  uint8_t* to = out.pixels.data();
  for (int64_t y = 0; y < out.height; ++y)
    for (int64_t x = 0; x < out.width; ++x) {
      const int64_t column = swaps ? y : x, row = swaps ? x : y;
      const int64_t from_x = from_right ? image.width - 1 - column : column;
      const int64_t from_y = from_bottom ? image.height - 1 - row : row;
      const uint8_t* from = &image.pixels[(from_y * image.width + from_x) * image.channels];
      to = std::copy_n(from, image.channels, to);
    }
  return out;
}

}  // namespace vta::images
