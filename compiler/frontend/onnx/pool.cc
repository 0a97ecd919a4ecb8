// Converters of pools. Those over one axis get a second one of size 1; those over three pool the
// plane, then the depth.
#include <algorithm>

#include "compiler/frontend/onnx/operators.h"
#include "compiler/frontend/onnx/window.h"

namespace vta::compiler {
namespace {

OnnxWindow ReadPool(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  if (!node.HasAttribute("kernel_shape"))
    throw node.Fail("attribute kernel_shape", "missing", "is required");
  const auto kernel = SmallInts(node, "kernel_shape", SpatialAxes(node, x), 1, 1);
  return ReadWindow(node, x, kernel, node.Int("ceil_mode", 0) != 0);
}

/// Pools the two axes of the window from `axis` on; `more` are attributes that the op has too.
ValueId Pool2d(OnnxNode& node, Op op, ValueId x, const OnnxWindow& window, size_t axis,
               const Attributes& more) {
  Attributes attributes = more;
  for (const auto& [name, value] : window.Plane(axis))
    if (name != "dilations" || op == Op::kMaxPool) attributes.Set(name, value);
  attributes.Set("kernel", std::vector<int64_t>{window.kernel[axis], window.kernel[axis + 1]});
  return node.Emit(op, {x}, attributes);
}

ValueId Pool(OnnxNode& node, Op op, const OnnxWindow& window, const Attributes& more) {
  const ValueId x = node.Input(0);
  const Shape s = node.type(x).shape;
  if (window.axes() == 2) return Pool2d(node, op, x, window, 0, more);
  if (window.axes() == 1) {
    const ValueId y = Pool2d(node, op, node.Reshape(x, WithHeight(s)), WithHeight(window), 0, more);
    return node.Reshape(y, {s[0], s[1], node.type(y).shape[3]});
  }
  const ValueId plane =
      Pool2d(node, op, node.Reshape(x, {s[0], s[1] * s[2], s[3], s[4]}), window, 1, more);
  const Shape p = node.type(plane).shape;
  const OnnxWindow depth{{window.kernel[0], 1},
                         {window.strides[0], 1},
                         {window.dilations[0], 1},
                         {window.before[0], 0},
                         {window.after[0], 0}};
  const ValueId y =
      Pool2d(node, op, node.Reshape(plane, {s[0] * s[1], 1, s[2], p[2] * p[3]}), depth, 0, more);
  return node.Reshape(y, {s[0], s[1], node.type(y).shape[2], p[2], p[3]});
}

}  // namespace

void ConvertMaxPool(OnnxNode& node) {
  if (node.Int("storage_order", 0) != 0)
    throw node.Fail("attribute storage_order", "1", "must be 0");
  node.Result(Pool(node, Op::kMaxPool, ReadPool(node), {}));
}

void ConvertAveragePool(OnnxNode& node) {
  const OnnxWindow window = ReadPool(node);
  if (std::ranges::any_of(window.dilations, [](int64_t d) { return d != 1; }))
    throw node.Fail("attribute dilations", ToText(window.dilations), "must all be 1");
  const int64_t include = node.Int("count_include_pad", 0);
  std::vector<int64_t> pads = window.before;
  pads.insert(pads.end(), window.after.begin(), window.after.end());
  const auto declared = node.Ints("pads").value_or(std::vector<int64_t>(pads.size(), 0));
  // Operator sets differ on whether such windows count the elements past the padding.
  if (include != 0 && node.Int("ceil_mode", 0) != 0 && pads != declared)
    throw node.Fail("attribute count_include_pad", "1",
                    "must be 0 when ceil_mode extends the last window");
  node.Result(Pool(node, Op::kAvgPool, window, {{"count_include_pad", int64_t{include != 0}}}));
}

}  // namespace vta::compiler
