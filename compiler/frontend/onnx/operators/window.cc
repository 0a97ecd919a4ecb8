#include "compiler/frontend/onnx/operators/window.h"

#include <algorithm>

namespace vta::compiler {

int64_t OnnxWindow::Places(size_t axis, int64_t size) const {
  const int64_t room = size + before[axis] + after[axis] - Extent(axis);
  return room < 0 ? 0 : room / strides[axis] + 1;
}

Attributes OnnxWindow::Plane(size_t axis) const {
  const auto pair = [&](const std::vector<int64_t>& list) {
    return std::vector<int64_t>{list[axis], list[axis + 1]};
  };
  return {
      {"strides", pair(strides)},
      {"dilations", pair(dilations)},
      {"pads", std::vector<int64_t>{before[axis], before[axis + 1], after[axis], after[axis + 1]}}};
}

std::vector<int64_t> SmallInts(OnnxNode& node, const char* name, size_t count, int64_t low,
                               int64_t otherwise) {
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  const auto list = node.Ints(name).value_or(std::vector<int64_t>(count, otherwise));
  bool sound = list.size() == count;
  for (int64_t v : list) sound &= v >= low && v <= kMost;
  if (!sound)
    throw node.Fail(StrCat("attribute ", name), ToText(list),
                    StrCat("must be ", count, " integers from ", low, " to 2^31 - 1"));
  return list;
}

size_t SpatialAxes(const OnnxNode& node, const Shape& x) {
  if (x.size() < 3 || x.size() > 5)
    throw node.Fail("input shape", ToText(x),
                    "must be [N,C,L], [N,C,H,W] or [N,C,D,H,W]: up to three spatial dimensions");
  return x.size() - 2;
}

namespace {

/// auto_pad: as many places as strides fit in the input.
void PadToSame(OnnxWindow& window, size_t axis, int64_t in, bool upper) {
  const int64_t stride = window.strides[axis], places = (in + stride - 1) / stride;
  const int64_t total = std::max<int64_t>((places - 1) * stride + window.Extent(axis) - in, 0);
  window.before[axis] = upper ? total / 2 : total - total / 2;
  window.after[axis] = total - window.before[axis];
}

/// ceil_mode: a last window that needs more padding, unless it would start in the padding.
void PadToLast(OnnxWindow& window, size_t axis, int64_t in) {
  const int64_t before = window.before[axis], stride = window.strides[axis];
  const int64_t room = in + before + window.after[axis] - window.Extent(axis);
  if (room < 0) return;
  int64_t last = (room + stride - 1) / stride;
  if (last * stride >= in + before) --last;
  window.after[axis] = std::max<int64_t>(last * stride + window.Extent(axis) - in - before, 0);
}

}  // namespace

OnnxWindow ReadWindow(OnnxNode& node, const Shape& x, const std::vector<int64_t>& kernel,
                      bool ceil_mode) {
  const size_t axes = SpatialAxes(node, x);
  OnnxWindow window{kernel,
                    SmallInts(node, "strides", axes, 1, 1),
                    SmallInts(node, "dilations", axes, 1, 1),
                    {},
                    {}};
  const std::string auto_pad = node.String("auto_pad", "NOTSET");
  std::vector<int64_t> pads = SmallInts(node, "pads", 2 * axes, 0, 0);
  if (auto_pad == "VALID") {
    pads.assign(2 * axes, 0);
  } else if (auto_pad != "NOTSET" && auto_pad != "SAME_UPPER" && auto_pad != "SAME_LOWER") {
    throw node.Fail("attribute auto_pad", auto_pad,
                    "must be NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  }
  window.before.assign(pads.begin(), pads.begin() + static_cast<int64_t>(axes));
  window.after.assign(pads.begin() + static_cast<int64_t>(axes), pads.end());
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t in = x[2 + axis];
    if (auto_pad.starts_with("SAME")) PadToSame(window, axis, in, auto_pad == "SAME_UPPER");
    if (ceil_mode) PadToLast(window, axis, in);
  }
  return window;
}

Shape WithHeight(const Shape& shape) { return {shape[0], shape[1], 1, shape[2]}; }

OnnxWindow WithHeight(const OnnxWindow& window) {
  return {{1, window.kernel[0]},
          {1, window.strides[0]},
          {1, window.dilations[0]},
          {0, window.before[0]},
          {0, window.after[0]}};
}

}  // namespace vta::compiler
