// Sizes around operators that move, cut or join.
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <numeric>

#include "compiler/frontend/onnx/sized_node.h"
#include "compiler/frontend/onnx/tensor.h"
#include "isa/support/error.h"

namespace vta::compiler {

void FollowConcat(SizedNode& node) {
  const std::optional<Shape> first = node.ShapeOf(0);
  const auto axis = first ? SizedNode::Axis(node.Int("axis", 1), first->size()) : std::nullopt;
  if (!axis) return;
  Shape y = *first;
  int64_t sum = node.sizes().Of(y[*axis]);
  for (int i = 1; i < node.input_count(); ++i) {
    const std::optional<Shape> x = node.ShapeOf(i);
    if (!x || x->size() != y.size()) return;
    for (size_t d = 0; d < y.size(); ++d)
      if (d != *axis) node.sizes().Equal(y[d], (*x)[d]);
    const int64_t more = node.sizes().Of((*x)[*axis]);
    sum = sum < 0 || more < 0 || more > kMostElements - sum ? -1 : sum + more;
  }
  y[*axis] = node.input_count() == 1 ? y[*axis] : sum < 0 ? node.sizes().Open() : sum;
  node.Set(y);
}

void FollowReshape(SizedNode& node) {
  const std::optional<Shape> x = node.ShapeOf(0);
  const auto asked = node.Ints("shape", 1);
  if (!asked) return;
  Shape y;
  const bool zeros = node.Int("allowzero", 0) != 0;
  for (size_t i = 0; i < asked->size(); ++i) {
    const int64_t size = (*asked)[i];
    if (size == 0 && !zeros)
      y.push_back(x && i < x->size() ? (*x)[i] : node.sizes().Open());
    else
      y.push_back(size < 0 ? node.sizes().Open() : size);
  }
  if (x) node.sizes().EqualElements(*x, y);
  node.Set(y);
}

void FollowFlatten(SizedNode& node) {
  const std::optional<Shape> x = node.ShapeOf(0);
  if (!x) return;
  const int64_t rank = std::ssize(*x),
                axis = node.Int("axis", 1) + (node.Int("axis", 1) < 0 ? rank : 0);
  if (axis < 0 || axis > rank) return;
  node.Set({node.sizes().Product(Shape(x->begin(), x->begin() + axis)),
            node.sizes().Product(Shape(x->begin() + axis, x->end()))});
}

void FollowTranspose(SizedNode& node) {
  const std::optional<Shape> x = node.ShapeOf(0);
  if (!x) return;
  auto order = node.Ints("perm");
  if (!order) {
    order.emplace(x->size());
    std::iota(order->rbegin(), order->rend(), 0);
  }
  Shape y;
  for (int64_t axis : *order) {
    if (axis < 0 || axis >= std::ssize(*x)) return;
    y.push_back((*x)[axis]);
  }
  node.Set(y);
}

void FollowSqueeze(SizedNode& node) {
  const std::optional<Shape> x = node.ShapeOf(0);
  const auto axes = node.Ints("axes", 1);
  if (!x || !axes) return;
  std::vector<bool> goes(x->size());
  for (int64_t axis : *axes) {
    const auto at = SizedNode::Axis(axis, x->size());
    if (!at) return;
    goes[*at] = true;
    node.sizes().Equal((*x)[*at], 1);
  }
  Shape y;
  for (size_t i = 0; i < x->size(); ++i)
    if (!goes[i]) y.push_back((*x)[i]);
  node.Set(y);
}

void FollowUnsqueeze(SizedNode& node) {
  const std::optional<Shape> x = node.ShapeOf(0);
  const auto axes = node.Ints("axes", 1);
  if (!x || !axes) return;
  Shape y(x->size() + axes->size(), 0);
  for (int64_t axis : *axes) {
    const auto at = SizedNode::Axis(axis, y.size());
    if (!at || y[*at] == 1) return;
    y[*at] = 1;
  }
  auto next = x->begin();
  for (int64_t& size : y)
    if (size == 0) size = *next++;
  node.Set(y);
}

void FollowGather(SizedNode& node) {
  const std::optional<Shape> x = node.ShapeOf(0), indices = node.ShapeOf(1);
  const auto axis = x ? SizedNode::Axis(node.Int("axis", 0), x->size()) : std::nullopt;
  if (!axis || !indices) return;
  Shape y(x->begin(), x->begin() + static_cast<std::ptrdiff_t>(*axis));
  y.insert(y.end(), indices->begin(), indices->end());
  y.insert(y.end(), x->begin() + static_cast<std::ptrdiff_t>(*axis) + 1, x->end());
  node.Set(y);
}

void FollowSplit(SizedNode& node) {
  const std::optional<Shape> x = node.ShapeOf(0);
  const auto axis = x ? SizedNode::Axis(node.Int("axis", 0), x->size()) : std::nullopt;
  if (!axis) return;
  const auto parts = node.Ints("split", 1);
  int64_t sum = 0;
  for (int i = 0; i < node.output_count(); ++i) {
    Shape y = *x;
    const int64_t size = node.sizes().Of(y[*axis]);
    const bool even = !node.Has(1) && size >= 0 && size % node.output_count() == 0;
    const bool given = parts && i < std::ssize(*parts) && (*parts)[i] >= 0;
    y[*axis] = given ? (*parts)[i] : even ? size / node.output_count() : node.sizes().Open();
    sum += given ? (*parts)[i] : 0;
    node.Set(y, i);
  }
  if (parts && std::ssize(*parts) == node.output_count()) node.sizes().Equal((*x)[*axis], sum);
}

/// Axes that it does not name stay as they are.
void FollowSlice(SizedNode& node) {
  std::optional<Shape> x = node.ShapeOf(0);
  const auto starts = node.Ints("starts", 1);
  auto axes = node.Ints("axes", 3);
  if (!x || (!axes && (!starts || node.Has(3)))) return;
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  for (int64_t axis : *axes) {
    const auto at = SizedNode::Axis(axis, x->size());
    if (!at) return;
    (*x)[*at] = node.sizes().Open();
  }
  node.Set(*x);
}

void FollowPad(SizedNode& node) {
  std::optional<Shape> x = node.ShapeOf(0);
  const auto pads = node.Ints("pads", 1);
  if (!x || !pads || pads->size() != 2 * x->size() || node.Has(3)) return;
  for (size_t i = 0; i < x->size(); ++i) {
    const int64_t size = node.sizes().Of((*x)[i]), more = (*pads)[i] + (*pads)[i + x->size()];
    if (more != 0) (*x)[i] = size >= 0 ? std::max<int64_t>(size + more, 0) : node.sizes().Open();
  }
  node.Set(*x);
}

/// The rank at least, and the batch: channels may lie anywhere behind it.
void FollowResize(SizedNode& node) {
  std::optional<Shape> x = node.ShapeOf(0);
  if (!x || x->size() < 3) return;
  for (size_t i = 1; i < x->size(); ++i) (*x)[i] = node.sizes().Open();
  node.Set(*x);
}

void FollowConstant(SizedNode& node) {
  for (const onnx::AttributeProto& a : node.proto().attribute()) {
    if (a.name() == "value_int") node.SetConstant(Tensor::Scalar<int64_t>(a.i()));
    if (a.name() == "value_ints")
      node.SetConstant(Tensor::Of<int64_t>({a.ints_size()}, {a.ints().begin(), a.ints().end()}));
    if (a.name() != "value" || a.t().data_location() == onnx::TensorProto::EXTERNAL) continue;
    try {
      node.SetConstant(ReadOnnxTensor(a.t(), ""));
    } catch (const Error&) {  // it is refused where the graph is read
    }
  }
}

}  // namespace vta::compiler
