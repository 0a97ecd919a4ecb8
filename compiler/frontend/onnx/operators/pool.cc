// Converters of pools. Those over one axis get a second one of size 1; those over three pool the
// plane, then the depth.
#include <algorithm>

#include "compiler/frontend/onnx/operators.h"
#include "compiler/frontend/onnx/operators/window.h"

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

/// The sums of the elements of each window: a convolution of each channel alone, with ones.
ValueId SumsOf(OnnxNode& node, ValueId x, const OnnxWindow& window) {
  const Shape s = node.type(x).shape;
  Shape apart = {s[0] * s[1], 1}, kernel = {1, 1}, joined = {s[0], s[1]};
  apart.insert(apart.end(), s.begin() + 2, s.end());
  kernel.insert(kernel.end(), window.kernel.begin(), window.kernel.end());
  if (!CheckedElements(kernel))
    throw node.Fail("attribute kernel_shape", ToText(window.kernel),
                    "must have at most 2^40 elements");
  node.Require({DType::kFloat32, kernel});
  const std::vector<float> ones(Elements(kernel), 1);
  const ValueId weights = node.AddConstant("ones", Tensor::Of(kernel, ones));
  const ValueId y = EmitConv(node, {node.Reshape(x, apart), weights}, window, 1);
  const Shape sums = node.type(y).shape;
  joined.insert(joined.end(), sums.begin() + 2, sums.end());
  return node.Reshape(y, joined);
}

/// A window with the pads that a model declares.
OnnxWindow Declared(OnnxWindow window, const std::vector<int64_t>& pads) {
  const auto middle = pads.begin() + std::ssize(pads) / 2;
  window.before.assign(pads.begin(), middle);
  window.after.assign(middle, pads.end());
  return window;
}

/// 1 / how many elements each window averages: those of the input, and of the pads of `counted`,
/// which has none where pads do not count. Shape: [1,1,...] of y.
Tensor SharesOf(const Shape& y, const OnnxWindow& window, const Shape& x,
                const OnnxWindow& counted) {
  Shape shape = y;
  shape[0] = shape[1] = 1;
  std::vector<float> shares(Elements(shape), 1);
  const Shape strides = Strides(shape);
  for (size_t axis = 0; axis < window.axes(); ++axis) {
    const int64_t low = counted.axes() > 0 ? -counted.before[axis] : 0;
    const int64_t high = x[2 + axis] + (counted.axes() > 0 ? counted.after[axis] : 0);
    for (size_t i = 0; i < shares.size(); ++i) {
      const int64_t out = static_cast<int64_t>(i) / strides[2 + axis] % shape[2 + axis];
      const int64_t first = out * window.strides[axis] - window.before[axis];
      const auto taps_before = [&](int64_t place) {
        const int64_t step = window.dilations[axis];
        return std::clamp<int64_t>((place - first + step - 1) / step, 0, window.kernel[axis]);
      };
      const int64_t count = taps_before(high) - taps_before(low);
      shares[i] /= static_cast<float>(std::max<int64_t>(count, 1));
    }
  }
  return Tensor::Of(shape, shares);
}

/// |x|^p.
ValueId PowerOf(OnnxNode& node, ValueId x, double p) {
  if (p == 2) return node.Emit(Op::kMul, {x, x});
  const ValueId size = node.Emit(Op::kAbs, {x});
  return p == 1 ? size : node.Emit(Op::kPow, {size, node.Number(x, p)});
}

ValueId RootOf(OnnxNode& node, ValueId x, double p) {
  if (p == 2) return node.Emit(Op::kSqrt, {x});
  return p == 1 ? x : node.Emit(Op::kPow, {x, node.Number(x, 1 / p)});
}

double ReadPower(OnnxNode& node) {
  const auto p = static_cast<double>(node.Int("p", 2));
  if (p < 1) throw node.Fail("attribute p", StrCat(p), "must be at least 1");
  return p;
}

}  // namespace

/// The p-norm of each window.
void ConvertLpPool(OnnxNode& node) {
  const OnnxWindow window = ReadPool(node);
  const double p = ReadPower(node);
  node.Result(RootOf(node, SumsOf(node, PowerOf(node, node.Input(0), p), window), p));
}

void ConvertGlobalLpPool(OnnxNode& node) {
  const double p = ReadPower(node);
  std::vector<int64_t> axes;
  for (int64_t i = 2; i < node.Rank(0); ++i) axes.push_back(i);
  const ValueId sums = node.Emit(Op::kReduceSum, {PowerOf(node, node.Input(0), p)},
                                 {{"axes", axes}, {"keepdims", int64_t{1}}});
  node.Result(RootOf(node, sums, p));
}

void ConvertMaxPool(OnnxNode& node) {
  if (node.Int("storage_order", 0) != 0)
    throw node.Fail("attribute storage_order", "1", "must be 0");
  node.Result(Pool(node, Op::kMaxPool, ReadPool(node), {}));
}

void ConvertAveragePool(OnnxNode& node) {
  const OnnxWindow window = ReadPool(node);
  const int64_t include = node.Int("count_include_pad", 0);
  std::vector<int64_t> pads = window.before;
  pads.insert(pads.end(), window.after.begin(), window.after.end());
  const auto declared = node.Ints("pads").value_or(std::vector<int64_t>(pads.size(), 0));
  const bool dilated = std::ranges::any_of(window.dilations, [](int64_t d) { return d != 1; });
  const bool extended = include != 0 && node.Int("ceil_mode", 0) != 0 && pads != declared;
  // Before, operator sets differ on whether such windows count the elements past the padding.
  constexpr int64_t kPastPaddingSince = 19;
  if (extended && node.opset() < kPastPaddingSince)
    throw node.Fail("attribute count_include_pad", "1",
                    "must be 0 when ceil_mode extends the last window");
  if (dilated || extended) {
    const OnnxWindow counted = include == 0 ? OnnxWindow{} : Declared(window, declared);
    const ValueId sums = SumsOf(node, node.Input(0), window);
    const Tensor shares = SharesOf(node.type(sums).shape, window, node.InputShape(0), counted);
    node.Result(node.Emit(Op::kMul, {sums, node.AddConstant("shares", shares)}));
    return;
  }
  node.Result(Pool(node, Op::kAvgPool, window, {{"count_include_pad", int64_t{include != 0}}}));
}

}  // namespace vta::compiler
