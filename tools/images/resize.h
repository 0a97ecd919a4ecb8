// Pictures of another size. Source: Pillow, whose results these are, to the bit: Image.resize,
// ImageOps.pad; and torchvision's CenterCrop.
#pragma once

#include <string>

#include "tools/images/image.h"

namespace vta::images {

/// What a pixel of the result is made of: the pixel that it lies on (nearest), or the mean of those
/// around it, weighed by a function whose width grows with what the picture shrinks by.
enum class Filter : uint8_t { kNearest, kBox, kBilinear, kBicubic, kLanczos };

/// Stretched to that size: columns first, then rows, each rounded to 8 bits; weights in 22-bit
/// fixed point. Errors: throws Error naming the file where the picture in between would have more
/// than kMostPixels.
Image Resized(const Image& image, int64_t width, int64_t height, Filter filter,
              const std::string& file);

/// Resized, with its shape kept, until it just covers `cover_width` x `cover_height` (the longer
/// side rounded down), then the middle `width` x `height` of that: it begins at half of what is
/// left over, of the two nearest integers at the even one.
/// Errors: as Resized; throws Error where the middle is larger than the rest.
Image Cropped(const Image& image, int64_t cover_width, int64_t cover_height, int64_t width,
              int64_t height, Filter filter, const std::string& file);

/// Resized, with its shape kept, until it just fits into `width` x `height`, in the middle of
/// black. Errors: as Resized.
Image Padded(const Image& image, int64_t width, int64_t height, Filter filter,
             const std::string& file);

}  // namespace vta::images
