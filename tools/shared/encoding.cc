#include "tools/shared/encoding.h"

#include <algorithm>

#include "isa/support/error.h"
#include "tools/shared/npy.h"

namespace vta::tools {
namespace {

constexpr isa::ElementType kStoredTypes[] = {isa::ElementType::kInt8,  isa::ElementType::kUint8,
                                             isa::ElementType::kInt16, isa::ElementType::kInt32,
                                             isa::ElementType::kInt64, isa::ElementType::kFloat32};

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

std::vector<int64_t> StoredShape(const isa::PackageTensor& tensor, const Encoding& encoding,
                                 const std::string& file) {
  std::vector<int64_t> shape = tensor.shape;
  if (encoding.layout.empty()) return shape;
  if (shape.size() < 3)
    throw Error(file, StrCat("layout of ", tensor.name), encoding.layout,
                StrCat("is for a tensor of 3 axes or more, and its shape is ", ShapeText(shape)));
  // The channel axis moves past the axes of the windows.
  const auto first = shape.begin() + 1;
  std::rotate(first, encoding.layout == kChannelsLast ? first + 1 : shape.end() - 1, shape.end());
  return shape;
}

std::vector<int64_t> StoredPlaces(const isa::PackageTensor& tensor, const Encoding& encoding) {
  if (encoding.layout.empty()) return {};
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

}  // namespace vta::tools
