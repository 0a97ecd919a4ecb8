// Sizes around elementwise operators, products, windows, norms and recurrent layers.
#include <onnx/onnx_pb.h>

#include <algorithm>

#include "compiler/frontend/onnx/sized_node.h"

namespace vta::compiler {
namespace {

constexpr int64_t kMostKernel = int64_t{1} << 30;

int64_t Groups(const SizedNode& node) { return std::max<int64_t>(node.Int("group", 1), 1); }

/// How far a window of `kernel` goes along the last axes of x: its places.
Shape Places(SizedNode& node, const Shape& x, const Shape& kernel) {
  Shape places;
  const auto pads = node.Ints("pads"), strides = node.Ints("strides"),
             dilations = node.Ints("dilations");
  const onnx::AttributeProto* const automatic = node.Attribute("auto_pad");
  const bool same = automatic && automatic->s().starts_with("SAME");
  for (size_t i = 0; i < kernel.size(); ++i) {
    const auto at = [&](const auto& list, size_t place, int64_t otherwise) {
      return list && place < list->size() ? (*list)[place] : otherwise;
    };
    const int64_t size = node.sizes().Of(x[x.size() - kernel.size() + i]);
    const int64_t stride = at(strides, i, 1);
    const int64_t reach = at(dilations, i, 1) * (std::min(kernel[i], kMostKernel) - 1);
    const int64_t padded = at(pads, i, 0) + at(pads, i + kernel.size(), 0);
    const bool known = kernel[i] > 0 && kernel[i] <= kMostKernel;
    const bool keeps = stride == 1 && (same || (known && padded == reach));
    const bool computed = known && size >= 0 && stride > 0 && !same &&
                          node.Int("ceil_mode", 0) == 0 && size + padded >= reach;
    places.push_back(keeps      ? size
                     : computed ? (size + padded - reach - 1) / stride + 1
                                : node.sizes().Open());
  }
  return places;
}

/// Of these of its inputs.
void FollowMatMulOf(SizedNode& node, int a_input, int b_input) {
  std::optional<Shape> a = node.ShapeOf(a_input), b = node.ShapeOf(b_input);
  if (!a || !b || a->empty() || b->empty()) return;
  const bool a_is_row = a->size() == 1, b_is_column = b->size() == 1;
  if (a_is_row) a->insert(a->begin(), 1);
  if (b_is_column) b->push_back(1);
  node.sizes().Equal(a->back(), (*b)[b->size() - 2]);
  Shape y =
      node.sizes().Broadcast(Shape(a->begin(), a->end() - 2), Shape(b->begin(), b->end() - 2));
  if (!a_is_row) y.push_back((*a)[a->size() - 2]);
  if (!b_is_column) y.push_back(b->back());
  node.Set(y);
}

/// Its weights are that input.
void FollowConvOf(SizedNode& node, int w_input) {
  const std::optional<Shape> x = node.ShapeOf(0), w = node.ShapeOf(w_input);
  if (!x || !w || x->size() < 3 || w->size() != x->size()) return;
  const Shape channels = {(*w)[1], Groups(node)};
  node.sizes().Equal((*x)[1], node.sizes().Product(channels));
  Shape y = {(*x)[0], (*w)[0]};
  for (int64_t size : Places(node, *x, Shape(w->begin() + 2, w->end()))) y.push_back(size);
  node.Set(y);
}

}  // namespace

void FollowMatMul(SizedNode& node) { FollowMatMulOf(node, 0, 1); }
void FollowQLinearMatMul(SizedNode& node) { FollowMatMulOf(node, 0, 3); }
void FollowConv(SizedNode& node) { FollowConvOf(node, 1); }
void FollowQLinearConv(SizedNode& node) { FollowConvOf(node, 3); }

void FollowSame(SizedNode& node) {
  if (const std::optional<Shape> x = node.ShapeOf(0)) node.Set(*x);
}

void FollowElementwise(SizedNode& node) {
  std::optional<Shape> y = node.ShapeOf(0);
  for (int i = 1; y && i < node.input_count(); ++i) {
    const std::optional<Shape> x = node.ShapeOf(i);
    y = x ? std::optional<Shape>(node.sizes().Broadcast(*y, *x)) : std::nullopt;
  }
  if (y) node.Set(*y);
}

void FollowGemm(SizedNode& node) {
  const std::optional<Shape> a = node.ShapeOf(0), b = node.ShapeOf(1);
  if (!a || !b || a->size() != 2 || b->size() != 2) return;
  const bool flip_a = node.Int("transA", 0) != 0, flip_b = node.Int("transB", 0) != 0;
  node.sizes().Equal((*a)[flip_a ? 0 : 1], (*b)[flip_b ? 1 : 0]);
  node.Set({(*a)[flip_a ? 1 : 0], (*b)[flip_b ? 0 : 1]});
}

void FollowConvTranspose(SizedNode& node) {
  const std::optional<Shape> x = node.ShapeOf(0), w = node.ShapeOf(1);
  if (!x || !w || x->size() < 3 || w->size() != x->size()) return;
  node.sizes().Equal((*x)[1], (*w)[0]);
  const Shape channels = {(*w)[1], Groups(node)};
  Shape y = node.sizes().OpenShape(std::ssize(*x));
  y[0] = (*x)[0], y[1] = node.sizes().Product(channels);
  node.Set(y);
}

void FollowPool(SizedNode& node) {
  const std::optional<Shape> x = node.ShapeOf(0);
  const auto kernel = node.Ints("kernel_shape");
  if (!x || !kernel || x->size() != kernel->size() + 2) return;
  Shape y = {(*x)[0], (*x)[1]};
  for (int64_t size : Places(node, *x, *kernel)) y.push_back(size);
  node.Set(y);
}

void FollowGlobalPool(SizedNode& node) {
  std::optional<Shape> x = node.ShapeOf(0);
  if (!x || x->size() < 3) return;
  std::fill(x->begin() + 2, x->end(), 1);
  node.Set(*x);
}

void FollowChannelNorm(
    SizedNode& node) {  // of channels, which its second input has a value for each of
  const std::optional<Shape> x = node.ShapeOf(0), scale = node.ShapeOf(1);
  if (!x) return;
  if (x->size() > 1 && scale && scale->size() == 1) node.sizes().Equal((*x)[1], (*scale)[0]);
  node.Set(*x);
}

void FollowLastNorm(SizedNode& node) {  // of the last dimensions, as many as the second input has
  const std::optional<Shape> x = node.ShapeOf(0), scale = node.ShapeOf(1);
  if (!x) return;
  if (scale && scale->size() == 1 && !x->empty()) node.sizes().Equal(x->back(), (*scale)[0]);
  node.Set(*x);
}

void FollowRecurrent(SizedNode& node) {
  const std::optional<Shape> x = node.ShapeOf(0), w = node.ShapeOf(1), r = node.ShapeOf(2);
  if (!x || !w || !r || x->size() != 3 || w->size() != 3 || r->size() != 3) return;
  node.sizes().Equal((*x)[2], (*w)[2]);
  const bool by_batch = node.Int("layout", 0) != 0;
  const int64_t steps = (*x)[by_batch ? 1 : 0], batch = (*x)[by_batch ? 0 : 1];
  const int64_t directions = (*w)[0], hidden = (*r)[2];
  const Shape state =
      by_batch ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  for (int input : {5, 6})
    if (const std::optional<Shape> initial = node.ShapeOf(input))
      node.sizes().Equal(*initial, state);
  node.Set(by_batch ? Shape{batch, steps, directions, hidden}
                    : Shape{steps, directions, batch, hidden});
  node.Set(state, 1), node.Set(state, 2);
}

void FollowReduce(SizedNode& node) {
  const std::optional<Shape> x = node.ShapeOf(0);
  if (!x) return;
  const bool is_arg = node.proto().op_type() == "ArgMax" || node.proto().op_type() == "ArgMin";
  const auto axes =
      is_arg ? std::optional(std::vector<int64_t>{node.Int("axis", 0)}) : node.Ints("axes", 1);
  if (!axes && node.Has(1)) return;  // not known here
  const bool is_all = (!axes || axes->empty()) && node.Int("noop_with_empty_axes", 0) == 0;
  std::vector<bool> reduced(x->size(), is_all);
  for (int64_t axis : axes.value_or(std::vector<int64_t>())) {
    const auto at = SizedNode::Axis(axis, x->size());
    if (!at) return;
    reduced[*at] = true;
  }
  Shape y;
  for (size_t i = 0; i < x->size(); ++i) {
    if (!reduced[i])
      y.push_back((*x)[i]);
    else if (node.Int("keepdims", 1) != 0)
      y.push_back(1);
  }
  node.Set(y);
}

}  // namespace vta::compiler
