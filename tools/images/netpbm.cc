#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "isa/support/error.h"
#include "tools/images/formats.h"

namespace vta::images {
namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";

// The numbers of a header: blanks and comments before each, one blank behind the last.
class Header {
 public:
  Header(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  int64_t Number(const char* what, int64_t most) {
    RequireBlank(what);
    SkipBlanks();
    int64_t number = 0;
    const auto [end, error] = std::from_chars(rest_.begin(), rest_.end(), number);
    if (error != std::errc() || number < 1 || number > most)
      throw Error(file_, StrCat("header: ", what), std::string(rest_.substr(0, 12)),
                  StrCat("must be 1 to ", most));
    rest_.remove_prefix(static_cast<size_t>(end - rest_.begin()));
    return number;
  }
  std::string_view Pixels() const {
    RequireBlank("pixels");
    return rest_.substr(1);
  }

 private:
  void RequireBlank(const char* what) const {
    if (rest_.empty() || kBlanks.find(rest_[0]) == std::string_view::npos)
      throw Error(file_, StrCat("header: ", what), std::string(rest_.substr(0, 12)),
                  "must come behind a blank");
  }
  void SkipBlanks() {
    while (!rest_.empty()) {
      if (rest_[0] == '#')
        rest_.remove_prefix(std::min(rest_.find_first_of("\r\n"), rest_.size()));
      else if (kBlanks.find(rest_[0]) == std::string_view::npos)
        return;
      else
        rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
  const std::string& file_;
};

}  // namespace

Image DecodeNetpbm(std::span<const uint8_t> bytes, const std::string& file) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Header header(text.substr(2), file);
  const int64_t width = header.Number("width", kMostPixels);
  const int64_t height = header.Number("height", kMostPixels);
  const int64_t largest = header.Number("largest value", 65535);
  RequireSize(width, height, file);
  const int64_t channels = text[1] == '6' ? 3 : 1;
  const size_t sample_bytes = largest > 255 ? 2 : 1;
  const std::string_view pixels = header.Pixels();
  RequireBytes(std::ssize(pixels), width * height * channels * static_cast<int64_t>(sample_bytes),
               width, height, file);
  Image image = Blank(width, height, channels, file);
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    double value = static_cast<uint8_t>(pixels[i * sample_bytes]);
    if (sample_bytes == 2) value = value * 256 + static_cast<uint8_t>(pixels[i * 2 + 1]);
    value = std::nearbyint(value / static_cast<double>(largest) * 255);
    image.pixels[i] = static_cast<uint8_t>(std::min(value, 255.0));
  }
  return image;
}

}  // namespace vta::images
