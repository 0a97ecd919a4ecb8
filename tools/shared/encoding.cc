#include "tools/shared/encoding.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/shared/npy.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

constexpr isa::ElementType kStoredTypes[] = {isa::ElementType::kInt8,  isa::ElementType::kUint8,
                                             isa::ElementType::kInt16, isa::ElementType::kInt32,
                                             isa::ElementType::kInt64, isa::ElementType::kFloat32};

// Where the model has channels: as its shape or the encoding says, or else where a file that names
// a layout has them not.
std::optional<std::string> ModelLayout(const isa::PackageTensor& tensor, const Encoding& encoding) {
  if (auto layout = LayoutOf(tensor.shape)) return layout;
  if (!encoding.model_layout.empty()) return encoding.model_layout;
  if (encoding.layout.empty() || tensor.shape.size() < 3) return std::nullopt;
  return encoding.layout == kChannelsLast ? kChannelsFirst : kChannelsLast;
}

// Whether channels lie elsewhere in the file.
bool Moves(const isa::PackageTensor& tensor, const Encoding& encoding) {
  return !encoding.layout.empty() && ModelLayout(tensor, encoding) != encoding.layout;
}

}  // namespace

std::vector<std::string> StoredTypeNames() {
  std::vector<std::string> names;
  for (isa::ElementType type : kStoredTypes) names.emplace_back(isa::ElementTypeName(type));
  return names;
}

isa::ElementType StoredType(const std::string& name) {
  for (isa::ElementType type : kStoredTypes)
    if (isa::ElementTypeName(type) == name) return type;
  throw Error("", "element type", name, "is not one that files hold");
}

std::optional<std::string> LayoutOf(std::span<const int64_t> shape) {
  if (shape.size() != 4) return std::nullopt;
  const auto may_be_channels = [](int64_t extent) { return extent == 1 || extent == 3; };
  const bool first = may_be_channels(shape[1]), last = may_be_channels(shape[3]);
  if (first == last) return std::nullopt;
  return first ? kChannelsFirst : kChannelsLast;
}

bool LayoutMatters(std::span<const int64_t> shape) {
  constexpr int64_t kColours = 3;
  return shape.size() == 4 && (shape[1] == kColours || shape[3] == kColours) &&
         shape[1] * shape[2] * shape[3] > kColours;
}

std::vector<int64_t> StoredShape(const isa::PackageTensor& tensor, const Encoding& encoding,
                                 const std::string& file) {
  std::vector<int64_t> shape = tensor.shape;
  if (encoding.layout.empty()) return shape;
  if (shape.size() < 3)
    throw Error(file, StrCat("layout of ", tensor.name), encoding.layout,
                StrCat("is for a tensor of 3 axes or more, and its shape is ", ShapeText(shape)));
  if (!Moves(tensor, encoding)) return shape;
  // The channel axis moves past the axes of the windows.
  const auto first = shape.begin() + 1;
  std::rotate(first, encoding.layout == kChannelsLast ? first + 1 : shape.end() - 1, shape.end());
  return shape;
}

std::vector<int64_t> StoredPlaces(const isa::PackageTensor& tensor, const Encoding& encoding) {
  if (!Moves(tensor, encoding)) return {};
  const int64_t batch = tensor.shape[0], each = tensor.elements() / batch;
  const bool last = encoding.layout == kChannelsLast;  // where they are stored
  const int64_t channels = last ? tensor.shape[1] : tensor.shape.back();
  const int64_t pixels = each / channels;
  std::vector<int64_t> places(tensor.elements());
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const int64_t at = i % each;
    const int64_t channel = last ? at / pixels : at % channels;
    const int64_t pixel = last ? at % pixels : at / channels;
    places[i] = i - at + (last ? pixel * channels + channel : channel * pixels + pixel);
  }
  return places;
}

std::vector<int64_t> ChannelsOf(const isa::PackageTensor& tensor, const Encoding& encoding) {
  std::vector<int64_t> channels;
  for (const auto& [option, values] :
       {std::pair{"--input-mean", &encoding.mean}, std::pair{"--input-std", &encoding.std}}) {
    if (values->size() < 2) continue;
    const std::optional<std::string> layout = ModelLayout(tensor, encoding);
    if (!layout)
      throw UsageError(option, "", StrCat(values->size(), " values"),
                       StrCat("the shape of ", tensor.name, ", ", ShapeText(tensor.shape),
                              ", does not say which axis has the channels: give --input-layout"));
    const bool last = layout == kChannelsLast;
    const int64_t count = last ? tensor.shape.back() : tensor.shape[1];
    if (std::ssize(*values) != count)
      throw UsageError(
          option, "", StrCat(values->size(), " values"),
          StrCat(tensor.name, " has ", Counted(count, "channel"), ": give one, or one for each"));
    const int64_t inner = last ? 1 : tensor.elements() / (tensor.shape[0] * count);
    channels.resize(tensor.elements());
    for (int64_t i = 0; i < tensor.elements(); ++i) channels[i] = i / inner % count;
  }
  return channels;
}

}  // namespace vta::tools
