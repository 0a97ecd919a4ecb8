#include "tools/images/resize.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "isa/support/error.h"

namespace vta::images {
namespace {

double Sinc(double x) {
  x *= std::numbers::pi;
  return x == 0 ? 1 : std::sin(x) / x;
}

struct Kernel {
  double support;  // it is 0 from there on
  double (*weight)(double);
};

// Of each filter that weighs, in the order of Filter.
constexpr Kernel kKernels[] = {
    {0.5, [](double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }},
    {1, [](double x) { return std::max(0.0, 1 - std::abs(x)); }},
    {2,
     [](double x) {
       constexpr double kA = -0.5;
       x = std::abs(x);
       if (x < 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
       return x < 2 ? (((x - 5) * x + 8) * x - 4) * kA : 0.0;
     }},
    {3, [](double x) { return x >= -3 && x < 3 ? Sinc(x) * Sinc(x / 3) : 0.0; }},
};

constexpr int kFractionBits = 22;  // of 32: 8 for the codes, 2 for sums that overshoot

// The pixels along one side that a pixel of the result is made of.
struct Window {
  int64_t first = 0;
  std::vector<int32_t> weights;
};

std::vector<Window> Windows(int64_t from, int64_t to, const Kernel& kernel) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double stretch = std::max(scale, 1.0), support = kernel.support * stretch;
  std::vector<Window> windows(static_cast<size_t>(to));
  std::vector<double> weights;
  for (int64_t i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale, inverse = 1.0 / stretch;
    const auto first = std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0);
    const auto end = std::min<int64_t>(static_cast<int64_t>(center + support + 0.5), from);
    double sum = 0;
    weights.clear();
    for (int64_t at = first; at < end; ++at) {
      weights.push_back(kernel.weight((static_cast<double>(at) - center + 0.5) * inverse));
      sum += weights.back();
    }
    windows[i].first = first;
    for (double weight : weights) {
      if (sum != 0) weight /= sum;
      weight *= 1 << kFractionBits;
      windows[i].weights.push_back(static_cast<int32_t>(weight < 0 ? weight - 0.5 : weight + 0.5));
    }
  }
  return windows;
}

// The sum of pixels `stride` bytes apart.
uint8_t Weighed(const uint8_t* from, int64_t stride, const Window& window) {
  from += window.first * stride;
  int64_t sum = int64_t{1} << (kFractionBits - 1);
  for (size_t i = 0; i < window.weights.size(); ++i, from += stride)
    sum += int64_t{*from} * window.weights[i];
  return static_cast<uint8_t>(std::clamp<int64_t>(sum >> kFractionBits, 0, 255));
}

Image Columns(const Image& image, int64_t width, const Kernel& kernel, const std::string& file) {
  Image out = Blank(width, image.height, image.channels, file);
  const std::vector<Window> windows = Windows(image.width, width, kernel);
  uint8_t* to = out.pixels.data();
  for (int64_t y = 0; y < out.height; ++y)
    for (const Window& window : windows)
      for (int64_t c = 0; c < image.channels; ++c)
        *to++ = Weighed(&image.pixels[y * image.row_bytes() + c], image.channels, window);
  return out;
}

Image Rows(const Image& image, int64_t height, const Kernel& kernel, const std::string& file) {
  Image out = Blank(image.width, height, image.channels, file);
  uint8_t* to = out.pixels.data();
  for (const Window& window : Windows(image.height, height, kernel))
    for (int64_t x = 0; x < image.row_bytes(); ++x)
      *to++ = Weighed(&image.pixels[x], image.row_bytes(), window);
  return out;
}

// Along one side, of each pixel of the result the one that it lies on. The place is a sum of steps,
// as Pillow has it, whose rounding shows.
std::vector<int64_t> NearestPlaces(int64_t from, int64_t to) {
  const double step = static_cast<double>(from) / static_cast<double>(to);
  double place = step * 0.5;
  std::vector<int64_t> places;
  for (int64_t i = 0; i < to; ++i, place += step)
    places.push_back(std::min(static_cast<int64_t>(place), from - 1));
  return places;
}

Image Nearest(const Image& image, int64_t width, int64_t height, const std::string& file) {
  Image out = Blank(width, height, image.channels, file);
  const std::vector<int64_t> columns = NearestPlaces(image.width, width);
  uint8_t* to = out.pixels.data();
  for (const int64_t row : NearestPlaces(image.height, height))
    for (const int64_t column : columns)
      to = std::copy_n(&image.pixels[row * image.row_bytes() + column * image.channels],
                       image.channels, to);
  return out;
}

}  // namespace

Image Resized(const Image& image, int64_t width, int64_t height, Filter filter,
              const std::string& file) {
  if (image.width == width && image.height == height) return image;
  try {
    if (filter == Filter::kNearest) return Nearest(image, width, height, file);
    const Kernel& kernel = kKernels[static_cast<size_t>(filter) - 1];
    const Image* have = &image;
    Image columns;
    if (width != image.width) columns = Columns(image, width, kernel, file), have = &columns;
    return height == image.height ? *have : Rows(*have, height, kernel, file);
  } catch (const Error& error) {  // of the size in between
    throw Error(file, "size", SizeText(image.width, image.height),
                StrCat("cannot become ", SizeText(width, height), ": that takes a picture of ",
                       error.value(), ", and ", kMostPixels, " pixels are the most"));
  }
}

Image Cropped(const Image& image, int64_t cover_width, int64_t cover_height, int64_t width,
              int64_t height, Filter filter, const std::string& file) {
  const bool is_slim = image.width * cover_height <= cover_width * image.height;
  const int64_t w = is_slim ? cover_width : cover_height * image.width / image.height;
  const int64_t h = is_slim ? cover_width * image.height / image.width : cover_height;
  if (w < width || h < height)
    throw Error(file, "size", SizeText(image.width, image.height),
                StrCat("is ", SizeText(w, h), " once resized: too small to cut ",
                       SizeText(width, height), " out of it"));
  const Image resized = Resized(image, w, h, filter, file);
  const auto first = [](int64_t of, int64_t cut) {
    return static_cast<int64_t>(std::nearbyint(static_cast<double>(of - cut) / 2));
  };
  const int64_t left = first(w, width), top = first(h, height);
  Image out = Blank(width, height, image.channels, file);
  for (int64_t y = 0; y < height; ++y)
    std::copy_n(&resized.pixels[(top + y) * resized.row_bytes() + left * image.channels],
                out.row_bytes(), &out.pixels[y * out.row_bytes()]);
  return out;
}

Image Padded(const Image& image, int64_t width, int64_t height, Filter filter,
             const std::string& file) {
  const auto w = static_cast<double>(image.width), h = static_cast<double>(image.height);
  const auto fitted = [](double size, int64_t most) {
    return std::clamp<int64_t>(static_cast<int64_t>(std::nearbyint(size)), 1, most);
  };
  const bool is_wide = image.width * height > width * image.height;
  const Image resized =
      is_wide
          ? Resized(image, width, fitted(h / w * static_cast<double>(width), height), filter, file)
          : Resized(image, fitted(w / h * static_cast<double>(height), width), height, filter,
                    file);
  const auto first = [](int64_t of, int64_t used) {
    return static_cast<int64_t>(std::nearbyint(static_cast<double>(of - used) * 0.5));
  };
  const int64_t left = first(width, resized.width), top = first(height, resized.height);
  Image out = Blank(width, height, image.channels, file);
  for (int64_t y = 0; y < resized.height; ++y)
    std::copy_n(&resized.pixels[y * resized.row_bytes()], resized.row_bytes(),
                &out.pixels[(top + y) * out.row_bytes() + left * image.channels]);
  return out;
}

}  // namespace vta::images
