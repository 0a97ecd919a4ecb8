// What converters of convolutions and pools share: a window over any number of spatial axes, read
// from attributes.
#pragma once

#include "compiler/frontend/onnx/node.h"

namespace vta::compiler {

/// A number for each spatial axis; pads before the first element and after the last.
struct OnnxWindow {
  std::vector<int64_t> kernel, strides, dilations, before, after;

  size_t axes() const { return kernel.size(); }
  /// Elements from the first that a window covers to the last.
  int64_t Extent(size_t axis) const { return (kernel[axis] - 1) * dilations[axis] + 1; }
  /// How many places the window has over `size` elements; below 1 where it does not fit.
  int64_t Places(size_t axis, int64_t size) const;
  /// strides, pads (top, left, bottom, right) and dilations of the two axes from `axis` on.
  Attributes Plane(size_t axis) const;
};

/// Shape: x [N,C,...]. Pads are resolved for that shape: auto_pad, and ceil_mode where the operator
/// has it.
OnnxWindow ReadWindow(OnnxNode& node, const Shape& x, const std::vector<int64_t>& kernel,
                      bool ceil_mode);
/// An attribute of `count` integers in [low, 2^31).
std::vector<int64_t> SmallInts(OnnxNode& node, const char* name, size_t count, int64_t low,
                               int64_t otherwise);
/// How many spatial axes x has. Errors: throws Error unless 1 to 3.
size_t SpatialAxes(const OnnxNode& node, const Shape& x);

/// A shape with a spatial axis of size 1 before its only one.
Shape WithHeight(const Shape& shape);
/// The window over such an axis too.
OnnxWindow WithHeight(const OnnxWindow& window);

/// The convolution that the node's attributes describe.
/// Shape: operands x [N,C,...], w [OC,C/group,...], and a bias [OC] if there is one.
ValueId EmitConv(OnnxNode& node, const std::vector<ValueId>& operands);
ValueId EmitConv(OnnxNode& node, const std::vector<ValueId>& operands, const OnnxWindow& window,
                 int64_t groups);

}  // namespace vta::compiler
