#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <string_view>

// After <cstdio>, whose FILE and size_t they use.
#include <jerror.h>
#include <jpeglib.h>

#include "isa/support/error.h"
#include "tools/images/formats.h"

namespace vta::images {
namespace {

// libjpeg leaves by longjmp, past destructors: all that one of its calls needs lies here, and the
// function that it jumps back to has no variables of its own.
class JpegReader {
 public:
  JpegReader(std::span<const uint8_t> bytes, const std::string& file)
      : file_bytes_(std::ssize(bytes)), file_(file) {
    jpeg_.err = jpeg_std_error(&errors_);
    errors_.error_exit = Fail;
    errors_.emit_message = Warn;
    progress_.progress_monitor = Watch;
    jpeg_.client_data = this;
    if (!Create(bytes)) throw Broken();
  }
  ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
  JpegReader(const JpegReader&) = delete;

  Image Decode() {
    if (!ReadHead()) throw Broken();
    const int orientation = Orientation();  // before libjpeg drops the markers
    if (jpeg_.num_components != 1 && jpeg_.num_components != 3)
      throw Error(file_, "JPEG", StrCat(jpeg_.num_components, " components"),
                  "must be grey, or red, green and blue (1 or 3): CMYK is for print");
    // Each block of 8 x 8 pixels is a bit at least, but where there are no whole bits.
    RequireSize(jpeg_.image_width, jpeg_.image_height, file_);
    if (!jpeg_.arith_code)
      RequireBytes(file_bytes_, int64_t{jpeg_.image_width} * jpeg_.image_height / (64 * 8),
                   jpeg_.image_width, jpeg_.image_height, file_);
    image_ = Blank(jpeg_.image_width, jpeg_.image_height, jpeg_.num_components, file_);
    if (!ReadRows()) throw Broken();
    return Upright(std::move(image_), orientation);
  }

 private:
  static constexpr int kExif = JPEG_APP0 + 1;
  // Real ones have about ten; each costs the time of the whole picture.
  static constexpr int kMostScans = 100;

  bool Create(std::span<const uint8_t> bytes) {
    if (setjmp(jump_)) return false;
    jpeg_create_decompress(&jpeg_);
    jpeg_.progress = &progress_;
    jpeg_mem_src(&jpeg_, bytes.data(), bytes.size());
    jpeg_save_markers(&jpeg_, kExif, 0xFFFF);
    return true;
  }
  bool ReadHead() {
    if (setjmp(jump_)) return false;
    jpeg_read_header(&jpeg_, TRUE);
    return true;
  }
  bool ReadRows() {
    if (setjmp(jump_)) return false;
    jpeg_.out_color_space = image_.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&jpeg_);
    while (jpeg_.output_scanline < jpeg_.output_height) {
      row_ = &image_.pixels[jpeg_.output_scanline * image_.row_bytes()];
      jpeg_read_scanlines(&jpeg_, &row_, 1);
    }
    jpeg_finish_decompress(&jpeg_);
    return true;
  }
  int Orientation() const {
    using namespace std::string_view_literals;
    constexpr std::string_view kHead = "Exif\0\0"sv;
    for (const jpeg_saved_marker_ptr* m = &jpeg_.marker_list; *m; m = &(*m)->next) {
      const std::string_view data(reinterpret_cast<const char*>((*m)->data), (*m)->data_length);
      if ((*m)->marker == kExif && data.starts_with(kHead))
        return ExifOrientation({(*m)->data + kHead.size(), data.size() - kHead.size()});
    }
    return 1;
  }
  Error Broken() const { return Error(file_, "JPEG", "", message_); }

  static JpegReader& Of(j_common_ptr jpeg) { return *static_cast<JpegReader*>(jpeg->client_data); }
  [[noreturn]] static void Fail(j_common_ptr jpeg) {
    static_assert(sizeof message_ >= JMSG_LENGTH_MAX);
    jpeg->err->format_message(jpeg, Of(jpeg).message_);
    std::longjmp(Of(jpeg).jump_, 1);
  }
  // What libjpeg would fill with grey is damaged; bytes too many before a marker hurt nothing, and
  // some cameras write them.
  static void Warn(j_common_ptr jpeg, int level) {
    if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA) Fail(jpeg);
  }
  static void Watch(j_common_ptr jpeg) {
    JpegReader& reader = Of(jpeg);
    if (!jpeg->is_decompressor || reader.jpeg_.input_scan_number <= kMostScans) return;
    std::snprintf(reader.message_, sizeof reader.message_, "has more than %d scans", kMostScans);
    std::longjmp(reader.jump_, 1);
  }

  const int64_t file_bytes_;
  const std::string& file_;
  jpeg_decompress_struct jpeg_ = {};
  jpeg_error_mgr errors_ = {};
  jpeg_progress_mgr progress_ = {};
  std::jmp_buf jump_;
  Image image_;
  JSAMPROW row_ = nullptr;
  char message_[JMSG_LENGTH_MAX] = {};
};

}  // namespace

Image DecodeJpeg(std::span<const uint8_t> bytes, const std::string& file) {
  return JpegReader(bytes, file).Decode();
}

}  // namespace vta::images
