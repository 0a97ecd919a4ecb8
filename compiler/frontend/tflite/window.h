// What convolutions and pools share: a window over the height and width of a picture.
#pragma once

#include "compiler/frontend/tflite/node.h"

namespace vta::compiler {

/// A number for height and width each; pads before the first element and after the last.
struct TfliteWindow {
  std::vector<int64_t> strides, dilations, before, after;

  /// strides, dilations and pads, as ops of the graph have them.
  Attributes attributes() const;
};

/// The window over x [N,H,W,C] with the padding scheme of that number in the format.
/// Errors: throws Error for strides and dilations below 1.
TfliteWindow PlaceWindow(const TfliteNode& node, const Shape& x, const std::vector<int64_t>& kernel,
                         const std::vector<int64_t>& strides, const std::vector<int64_t>& dilations,
                         int padding);

/// SAME pads so that there are as many places as strides fit in; an odd one goes to the end.
struct TflitePads {
  int64_t before, after;
};
TflitePads SamePads(int64_t size, int64_t extent, int64_t stride);

}  // namespace vta::compiler
