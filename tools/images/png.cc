#include <png.h>

#include <csetjmp>
#include <cstring>

#include "isa/support/error.h"
#include "tools/images/formats.h"

namespace vta::images {
namespace {

// libpng leaves by longjmp, past destructors: all that one of its calls needs lies here, and the
// function that it jumps back to has no variables of its own.
class PngReader {
 public:
  PngReader(std::span<const uint8_t> bytes, const std::string& file)
      : bytes_(bytes), file_bytes_(std::ssize(bytes)), file_(file) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, Fail, Ignore);
    if (png_) info_ = png_create_info_struct(png_);
    if (!info_) throw Error(file_, "", "", "libpng has no memory for it");
    png_set_read_fn(png_, this, Read);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // Blank() has ours
    png_set_chunk_malloc_max(png_, kMostChunkBytes);
    png_set_chunk_cache_max(png_, kMostChunks);
  }
  ~PngReader() { png_destroy_read_struct(&png_, info_ ? &info_ : nullptr, nullptr); }
  PngReader(const PngReader&) = delete;

  Image Decode() {
    if (!ReadHead()) throw Broken();
    const int64_t channels = png_get_color_type(png_, info_) & PNG_COLOR_MASK_COLOR ? 3 : 1;
    const int64_t width = png_get_image_width(png_, info_);
    const int64_t height = png_get_image_height(png_, info_);
    const auto row_bytes = static_cast<int64_t>(png_get_rowbytes(png_, info_));
    RequireSize(width, height, file_);
    RequireBytes(file_bytes_, height * row_bytes / kMostPacked, width, height, file_);
    image_ = Blank(width, height, channels, file_);
    rows_.resize(static_cast<size_t>(image_.height));
    for (int64_t y = 0; y < image_.height; ++y) rows_[y] = &image_.pixels[y * image_.row_bytes()];
    if (!ReadRows()) throw Broken();
    return Upright(std::move(image_), exif_ ? ExifOrientation({exif_, exif_bytes_}) : 1);
  }

 private:
  // What a PNG may say beside its pixels.
  static constexpr png_alloc_size_t kMostChunkBytes = 1 << 23;
  static constexpr png_uint_32 kMostChunks = 1000;
  static constexpr int64_t kMostPacked = 1032;  // bytes in one, by deflate

  bool ReadHead() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_read_info(png_, info_);
    return true;
  }
  bool ReadRows() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_palette_to_rgb(png_);
    png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_16(png_);
    png_set_strip_alpha(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    if (png_get_rowbytes(png_, info_) != static_cast<size_t>(image_.row_bytes()))
      png_error(png_, "rows are not as long as its header says");
    png_read_image(png_, rows_.data());
    png_read_end(png_, info_);
    png_get_eXIf_1(png_, info_, &exif_bytes_, &exif_);
    return true;
  }
  Error Broken() const { return Error(file_, "PNG", "", message_); }

  static PngReader& Of(png_structp png) { return *static_cast<PngReader*>(png_get_io_ptr(png)); }
  static void Read(png_structp png, png_bytep to, size_t size) {
    PngReader& reader = Of(png);
    if (size > reader.bytes_.size()) png_error(png, "is cut off");
    std::memcpy(to, reader.bytes_.data(), size);
    reader.bytes_ = reader.bytes_.subspan(size);
  }
  [[noreturn]] static void Fail(png_structp png, png_const_charp message) {
    PngReader& reader = *static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(reader.message_, message, sizeof reader.message_ - 1);
    png_longjmp(png, 1);
  }
  static void Ignore(png_structp, png_const_charp) {}

  std::span<const uint8_t> bytes_;
  const int64_t file_bytes_;
  const std::string& file_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  Image image_;
  std::vector<png_bytep> rows_;
  png_bytep exif_ = nullptr;  // of info_
  png_uint_32 exif_bytes_ = 0;
  char message_[120] = {};
};

}  // namespace

Image DecodePng(std::span<const uint8_t> bytes, const std::string& file) {
  return PngReader(bytes, file).Decode();
}

}  // namespace vta::images
