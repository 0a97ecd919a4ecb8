#include "tools/shared/pictures.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tools/images/decode.h"
#include "tools/images/resize.h"
#include "tools/shared/log.h"
#include "tools/shared/npy.h"
#include "tools/shared/samples.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStretch = "stretch", kCrop = "crop", kPad = "pad";
constexpr std::string_view kFilters[] = {"nearest", "box", "bilinear", "bicubic", "lanczos"};

bool IsList(const std::string& path) { return fs::path(path).extension() == ".txt"; }

bool IsFolder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

PictureFiles InFolder(const std::string& folder) {
  PictureFiles files;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (const fs::path& path = at->path(); images::IsImageFile(path.string()) &&
                                           !path.filename().string().starts_with('.') &&
                                           !IsFolder(path.string()))
      files.paths.push_back(path.string());
  if (failed) throw Error(folder, "cannot read", "", failed.message());
  if (files.paths.empty())
    throw Error(folder, "pictures", "0",
                StrCat("a folder must have some, ", images::kImageEndings,
                       "; folders in it are left alone"));
  std::ranges::sort(files.paths);
  return files;
}

// How a tensor takes pictures.
struct PictureTensor {
  int64_t batch = 1, channels = 3, height = 0, width = 0;
  std::string layout;
};

PictureTensor PictureTensorOf(const isa::PackageTensor& tensor, const Encoding& encoding,
                              const std::string& file) {
  const std::vector<int64_t>& shape = tensor.shape;
  const auto may_be_channels = [](int64_t extent) { return extent == 1 || extent == 3; };
  if (shape.size() != 4 || !(may_be_channels(shape[1]) || may_be_channels(shape[3])))
    throw Error(file, "a picture", "",
                StrCat("is for an input [N,C,H,W] or [N,H,W,C] with 1 or 3 channels, and ",
                       tensor.name, " is ", ShapeText(shape)));
  std::string layout = LayoutOf(shape).value_or(encoding.layout);
  if (layout.empty())
    throw UsageError("--input-layout", "", file,
                     StrCat("the shape of ", tensor.name, ", ", ShapeText(shape),
                            ", does not say where it has channels: give nchw or nhwc"));
  if (layout == kChannelsFirst) return {shape[0], shape[1], shape[2], shape[3], layout};
  return {shape[0], shape[3], shape[1], shape[2], layout};
}

images::Image Fitted(const images::Image& image, const PictureTensor& wanted,
                     const PictureSize& size, const isa::PackageTensor& tensor,
                     const std::string& file) {
  const auto name = std::ranges::find(kFilters, size.filter);
  const auto filter = static_cast<images::Filter>(name - std::begin(kFilters));
  if (size.resize == kStretch)
    return images::Resized(image, wanted.width, wanted.height, filter, file);
  if (size.resize == kPad) return images::Padded(image, wanted.width, wanted.height, filter, file);
  if (size.resize == kCrop)
    return images::Cropped(image, size.shorter > 0 ? size.shorter : wanted.width,
                           size.shorter > 0 ? size.shorter : wanted.height, wanted.width,
                           wanted.height, filter, file);
  if (image.width != wanted.width || image.height != wanted.height)
    throw Error(
        file, "size", images::SizeText(image.width, image.height),
        StrCat("must be ", images::SizeText(wanted.width, wanted.height), ", as ", tensor.name, " ",
               ShapeText(tensor.shape), " has it; --resize makes it fit"));
  return image;
}

Encoding PictureEncoding(const Encoding& encoding, const isa::PackageTensor& tensor,
                         const std::string& layout) {
  if (!encoding.type.empty() && encoding.type != isa::ElementTypeName(isa::ElementType::kUint8))
    throw UsageError("--input-type", "", encoding.type, "pictures hold uint8");
  Encoding codes = encoding;
  codes.type = isa::ElementTypeName(isa::ElementType::kUint8);
  codes.layout = kChannelsLast;
  codes.model_layout = layout;
  if (encoding.converts_values()) return codes;
  if (tensor.type == isa::ElementType::kInt8) codes.zero_point = 128;
  if (tensor.type == isa::ElementType::kFloat32)
    Log(LogLevel::kInfo, StrCat(tensor.name,
                                " takes pixels as 0 to 255; --input-scale, --input-mean and "
                                "--input-std say what it was trained on"));
  return codes;
}

}  // namespace

std::vector<std::string> ResizeNames() {
  return {std::string(kStretch), std::string(kCrop), std::string(kPad)};
}

std::vector<std::string> FilterNames() { return {std::begin(kFilters), std::end(kFilters)}; }

bool HoldsPictures(const std::string& path) {
  return images::IsImageFile(path) || IsList(path) || IsFolder(path);
}

PictureFiles ListPictures(const std::string& path) {
  if (IsFolder(path)) return InFolder(path);
  if (IsList(path)) return ParsePictureList(ReadTextFile(path, kMostStreamBytes), path);
  return {{path}, {}};
}

PictureFiles ParsePictureList(std::string_view text, const std::string& file) {
  constexpr std::string_view kBlanks = " \t\r";
  PictureFiles files;
  const fs::path folder = fs::path(file).parent_path();
  for (size_t at = 0, number = 1; at < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::string where = StrCat(file, ":", number);
    line = line.substr(0, line.find_last_not_of(kBlanks) + 1);
    if (line.empty()) continue;
    const size_t blank = line.find_last_of(kBlanks);
    int64_t label = -1;
    if (blank != std::string_view::npos && !images::IsImageFile(std::string(line))) {
      const auto [stop, error] = std::from_chars(line.begin() + blank + 1, line.end(), label);
      if (error != std::errc() || stop != line.end() || label < 0)
        throw Error(where, "label", std::string(line.substr(blank + 1)),
                    "must be an integer that is not negative");
      line = line.substr(0, line.find_last_not_of(kBlanks, blank) + 1);
      files.labels.push_back(label);
    }
    if (!images::IsImageFile(std::string(line)))
      throw Error(where, "picture", std::string(line),
                  StrCat("must end in one of ", images::kImageEndings));
    files.paths.push_back((folder / line).string());
    if (!files.labels.empty() && files.labels.size() != files.paths.size())
      throw Error(where, "label", label < 0 ? "" : std::to_string(label),
                  "either all pictures have labels or none");
  }
  if (files.paths.empty()) throw Error(file, "pictures", "0", "a list must have some, one a line");
  return files;
}

std::vector<std::vector<uint8_t>> PictureSamples(const std::vector<std::string>& paths,
                                                 const isa::PackageTensor& tensor,
                                                 const Encoding& encoding, int64_t most) {
  const PictureTensor wanted = PictureTensorOf(tensor, encoding, paths[0]);
  const auto count = std::ssize(paths);
  if (count % wanted.batch != 0)
    throw Error(paths[0], "pictures", std::to_string(count),
                StrCat(tensor.name, " takes ", wanted.batch, " at a time"));
  const int64_t read = std::min(count / wanted.batch, most);
  if (read > kMostFileBytes / std::max<int64_t>(1, tensor.bytes()))
    throw Error(paths[0], "pictures", std::to_string(read * wanted.batch),
                StrCat("are more than ", kMostFileBytes, " bytes once they are samples of ",
                       tensor.name, ": run some of them at a time"));
  const Encoding codes = PictureEncoding(encoding, tensor, wanted.layout);
  const std::vector<int64_t> stored = StoredShape(tensor, codes, paths[0]);
  std::vector<std::vector<uint8_t>> samples;
  for (int64_t first = 0; first < read * wanted.batch; first += wanted.batch) {
    StoredTensor batch{codes.type, stored, {}};
    for (int64_t i = first; i < first + wanted.batch; ++i) {
      const std::string& file = paths[i];
      images::Image image = images::Decode(ReadFile(file, images::kMostImageFileBytes), file);
      image = Fitted(images::WithChannels(std::move(image), wanted.channels), wanted, encoding.size,
                     tensor, file);
      if (encoding.blue_first && image.channels == 3)
        for (size_t pixel = 0; pixel < image.pixels.size(); pixel += 3)
          std::swap(image.pixels[pixel], image.pixels[pixel + 2]);
      batch.bytes.insert(batch.bytes.end(), image.pixels.begin(), image.pixels.end());
    }
    samples.push_back(std::move(SamplesOf(batch, paths[first], tensor, codes)[0]));
  }
  return samples;
}

}  // namespace vta::tools
