#include "compiler/graph/storage.h"

#include "compiler/graph/attributes.h"
#include "isa/support/error.h"

namespace vta::compiler {

bool Storage::Serves(const Storage& want) const {
  for (size_t side = 0; side < border.size(); ++side)
    if (border[side] < want.border[side]) return false;
  return channels == want.channels && biased == want.biased && halves == want.halves &&
         (want.border == Storage().border || fill == want.fill);
}

TensorType Storage::Of(const TensorType& type) const {
  VTA_CHECK(type.shape.size() == 4, ToText(type));
  VTA_CHECK(!biased || type.dtype == DType::kInt8, ToText(type));
  VTA_CHECK(!halves || type.dtype == DType::kFloat32, ToText(type));
  const Shape& s = type.shape;
  return {biased   ? DType::kUint8
          : halves ? DType::kInt16
                   : type.dtype,
          {s[0], (s[1] + channels - 1) / channels, border[0] + s[2] + border[2],
           border[1] + s[3] + border[3], channels}};
}

std::string ToText(const Storage& storage) {
  std::string text = StrCat("blocks of ", storage.channels);
  if (storage.border != std::array<int64_t, 4>{}) {
    text += ", border";
    for (int64_t side : storage.border) text += StrCat(" ", side);
    text += " of " + ToText(AttributeValue(storage.fill));
  }
  return text + (storage.biased ? ", biased" : storage.halves ? ", halves" : "");
}

}  // namespace vta::compiler
