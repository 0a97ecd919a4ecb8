// Any bytes either are refused with an Error or are a picture, grey or coloured, of the size that
// it says; small ones become any size. And any text is refused or is a list of pictures.
#include <string_view>

#include "isa/support/error.h"
#include "tools/images/decode.h"
#include "tools/images/resize.h"
#include "tools/shared/pictures.h"

namespace vta::images {
namespace {

void Check(const Image& image) {
  VTA_CHECK(image.channels == 1 || image.channels == 3, image.channels);
  VTA_CHECK(std::ssize(image.pixels) == image.height * image.row_bytes(), image.pixels.size());
}

void Try(std::span<const uint8_t> bytes) {
  const Image image = Decode(bytes, "input");
  Check(image);
  constexpr int64_t kSmall = 1 << 12, kWidth = 7, kHeight = 5;
  if (image.width * image.height > kSmall) return;
  const auto filter = static_cast<Filter>(bytes.back() % 5);
  Check(Resized(image, kWidth, kHeight, filter, "input"));
  Check(Padded(image, kWidth, kHeight, filter, "input"));
  Check(Cropped(WithChannels(image, 4 - image.channels), kWidth, kHeight, kWidth, kHeight, filter,
                "input"));
}

}  // namespace
}  // namespace vta::images

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    vta::images::Try({data, size});
  } catch (const vta::Error&) {
  }
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const vta::tools::PictureFiles files = vta::tools::ParsePictureList(text, "input");
    VTA_CHECK(files.labels.empty() || files.labels.size() == files.paths.size(), text);
  } catch (const vta::Error&) {
  }
  return 0;
}
