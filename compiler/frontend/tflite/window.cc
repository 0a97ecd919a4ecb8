#include "compiler/frontend/tflite/window.h"

#include <algorithm>

#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {

Attributes TfliteWindow::attributes() const {
  return {{"strides", strides},
          {"dilations", dilations},
          {"pads", std::vector<int64_t>{before[0], before[1], after[0], after[1]}}};
}

TflitePads SamePads(int64_t size, int64_t extent, int64_t stride) {
  const int64_t places = (size + stride - 1) / stride;
  const int64_t total = std::max<int64_t>((places - 1) * stride + extent - size, 0);
  return {total / 2, total - total / 2};
}

TfliteWindow PlaceWindow(const TfliteNode& node, const Shape& x, const std::vector<int64_t>& kernel,
                         const std::vector<int64_t>& strides, const std::vector<int64_t>& dilations,
                         int padding) {
  for (const auto& [what, list] : {std::pair("strides", strides), std::pair("dilations", dilations),
                                   std::pair("filter", kernel)})
    if (std::ranges::min(list) < 1) throw node.Fail(what, ToText(list), "must be at least 1");
  const auto scheme = static_cast<tflite_schema::Padding>(padding);
  if (scheme != tflite_schema::Padding::SAME && scheme != tflite_schema::Padding::VALID)
    throw node.Fail("padding", StrCat(padding), "must be SAME or VALID");
  TfliteWindow window{strides, dilations, {0, 0}, {0, 0}};
  for (size_t i = 0; i < 2 && scheme == tflite_schema::Padding::SAME; ++i) {
    const TflitePads pads = SamePads(x[1 + i], (kernel[i] - 1) * dilations[i] + 1, strides[i]);
    window.before[i] = pads.before;
    window.after[i] = pads.after;
  }
  return window;
}

}  // namespace vta::compiler
