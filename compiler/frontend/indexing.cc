#include "compiler/frontend/indexing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vta::compiler {
namespace {

ValueId PadAxis(Emitter& node, ValueId x, int64_t axis, int64_t before, int64_t after,
                double value) {
  const int64_t rank = std::ssize(node.type(x).shape);
  std::vector<int64_t> pads(2 * rank, 0);
  pads[axis] = before;
  pads[axis + rank] = after;
  return node.Emit(Op::kPad, {x}, {{"mode", "constant"}, {"pads", pads}, {"value", value}});
}

/// Indices below 0 count from the end of an axis.
ValueId FromTheEnd(Emitter& node, ValueId indices, ValueId size) {
  const ValueId below = node.Emit(Op::kLess, {indices, node.Number(indices, 0)});
  return node.Emit(Op::kWhere, {below, node.Emit(Op::kAdd, {indices, size}), indices});
}

/// 0, step, 2 * step, ...
Tensor Starts(int64_t count, int64_t step) {
  Tensor starts = Places(count);
  for (int64_t& start : starts.mutable_data<int64_t>()) start *= step;
  return starts;
}

}  // namespace

Shape CheckedShape(const Emitter& node, Shape shape, const char* what) {
  if (!CheckedElements(shape))
    throw node.Fail(what, ToText(shape),
                    "every dimension must be at least 1 and their product at most 2^40");
  return shape;
}

Tensor Places(int64_t count) {
  std::vector<int64_t> places(count);
  std::iota(places.begin(), places.end(), int64_t{0});
  return Tensor::Of<int64_t>({count}, places);
}

ValueId Slice(Emitter& node, ValueId x, int64_t axis, int64_t first, int64_t count) {
  Shape shape = node.type(x).shape;
  if (axis >= std::ssize(shape))
    throw node.Fail("input shape", ToText(shape), StrCat("must have an axis ", axis));
  if (first == 0 && count == shape[axis]) return x;
  std::vector<int64_t> starts(shape.size(), 0), steps(shape.size(), 1);
  starts[axis] = first;
  shape[axis] = count;
  return node.Emit(Op::kSlice, {x}, {{"starts", starts}, {"steps", steps}, {"shape", shape}});
}

void CheckIndices(Emitter& node, ValueId indices, const Shape& sizes) {
  const Tensor* const known = node.constant(indices);
  if (!known) return;
  for (int64_t i = 0; i < known->elements(); ++i) {
    const int64_t size = sizes[i % sizes.size()];
    if (known->At(i) < static_cast<double>(-size) || known->At(i) >= static_cast<double>(size))
      throw node.Fail("indices", StrCat(known->At(i)),
                      StrCat("must be in [", -size, ", ", size, ")"));
  }
}

ValueId FromTheFront(Emitter& node, ValueId indices, const Shape& sizes) {
  CheckIndices(node, indices, sizes);
  Shape last = sizes;
  for (int64_t& size : last) --size;
  const ValueId wide = node.Emit(Op::kCast, {indices}, {{"to", "int64"}});
  const ValueId counted =
      FromTheEnd(node, wide, node.AddConstant("sizes", Tensor::Of({std::ssize(sizes)}, sizes)));
  const ValueId most = node.AddConstant("last", Tensor::Of({std::ssize(last)}, last));
  return node.Emit(Op::kMin, {node.Emit(Op::kMax, {counted, node.Number(counted, 0)}), most});
}

ValueId GatherAlong(Emitter& node, ValueId x, ValueId indices, int64_t axis) {
  const int64_t rank = static_cast<int64_t>(node.type(x).shape.size());
  const Shape shape = node.type(x).shape, chosen = node.type(indices).shape;
  // With the axis last, line by line.
  std::vector<int64_t> perm, back(rank);
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis) perm.push_back(i);
  perm.push_back(axis);
  for (int64_t i = 0; i < rank; ++i) back[perm[i]] = i;
  // Of the other axes those elements that the indices have places for.
  ValueId part = x;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis) part = Slice(node, part, i, 0, chosen[i]);
  const auto lines = [&](ValueId value) {
    const ValueId turned = node.Emit(Op::kTranspose, {value}, {{"perm", perm}});
    const int64_t size = node.type(value).shape[axis];
    return node.Reshape(turned, {Elements(node.type(value).shape) / size, size});
  };
  const ValueId values = lines(part);
  const ValueId places = lines(FromTheFront(node, indices, {shape[axis]}));
  const int64_t count = node.type(values).shape[0], size = shape[axis];
  const ValueId all = node.Emit(
      Op::kAdd, {places, node.AddConstant("starts", Starts(count, size).Reshaped({count, 1}))});
  const ValueId flat = node.Reshape(values, {count * size});
  const ValueId found = node.Emit(Op::kGather, {flat, all}, {{"axis", int64_t{0}}});
  Shape turned;
  for (int64_t i : perm) turned.push_back(chosen[i]);
  return node.Emit(Op::kTranspose, {node.Reshape(found, turned)}, {{"perm", back}});
}

NamedPlaces PlacesOf(Emitter& node, Shape x, ValueId indices, int64_t batch_axes) {
  const Shape shape = node.type(indices).shape;
  const int64_t depth = shape.empty() ? 0 : shape.back(), rank = std::ssize(x);
  if (batch_axes < 0 || batch_axes >= std::ssize(shape) || depth < 1 || batch_axes + depth > rank ||
      !std::equal(x.begin(), x.begin() + batch_axes, shape.begin()))
    throw node.Fail("indices shape", ToText(shape),
                    StrCat("must name elements of ", ToText(x), " in ", batch_axes, " batches"));
  const int64_t batch = Elements(Shape(x.begin(), x.begin() + batch_axes));
  const Shape inner(x.begin() + batch_axes, x.begin() + batch_axes + depth);
  const int64_t each = Elements(inner), count = Elements(shape) / batch / depth;
  // Where an element lies among all of the first axes, by the strides of those.
  const ValueId table = node.Reshape(FromTheFront(node, indices, inner), {batch, count, depth});
  ValueId place = node.AddConstant("starts", Starts(batch, each).Reshaped({batch, 1, 1}));
  const Shape strides = Strides(inner);
  for (int64_t d = 0; d < depth; ++d) {
    const ValueId part = Slice(node, table, 2, d, 1);
    const ValueId step = node.Number(part, static_cast<double>(strides[d]));
    place = node.Emit(Op::kAdd, {place, node.Emit(Op::kMul, {part, step})});
  }
  return {batch * each, Shape(x.begin() + batch_axes + depth, x.end()),
          node.Reshape(place, {batch * count})};
}

ValueId GatherNd(Emitter& node, ValueId x, ValueId indices, int64_t batch_axes) {
  const NamedPlaces named = PlacesOf(node, node.type(x).shape, indices, batch_axes);
  const Shape chosen = node.type(indices).shape;
  Shape flat = {named.count}, shape(chosen.begin(), chosen.end() - 1);
  flat.insert(flat.end(), named.rest.begin(), named.rest.end());
  shape.insert(shape.end(), named.rest.begin(), named.rest.end());
  const ValueId found =
      node.Emit(Op::kGather, {node.Reshape(x, flat), named.places}, {{"axis", int64_t{0}}});
  return node.Reshape(found, shape);
}

ValueId OneHot(Emitter& node, ValueId indices, int64_t depth, int64_t axis, ValueId on,
               ValueId off) {
  Shape apart = node.type(indices).shape, line(apart.size() + 1, 1);
  apart.insert(apart.begin() + axis, 1);
  line[axis] = depth;
  const ValueId wide = node.Emit(Op::kCast, {indices}, {{"to", "int64"}});
  const ValueId counted = FromTheEnd(node, wide, node.Number(wide, static_cast<double>(depth)));
  const ValueId named = node.Reshape(counted, apart);
  const ValueId places = node.AddConstant("places", Places(depth).Reshaped(line));
  return node.Emit(Op::kWhere, {node.Emit(Op::kEqual, {named, places}), on, off});
}

/// By doubling: after each step an element holds the sum of twice as many.
ValueId CumulativeSum(Emitter& node, ValueId x, int64_t axis, bool exclusive, bool reverse) {
  const int64_t size = node.type(x).shape[axis], sign = reverse ? -1 : 1;
  const auto moved = [&](ValueId value, int64_t by) {
    return PadAxis(node, value, axis, sign * by, -sign * by, 0);
  };
  ValueId sums = exclusive ? moved(x, 1) : x;
  for (int64_t by = 1; by < size; by *= 2) sums = node.Emit(Op::kAdd, {sums, moved(sums, by)});
  return sums;
}

/// By halving: the first half times the second, which a 1 may fill.
ValueId ProductAlong(Emitter& node, ValueId x, const std::vector<int64_t>& axes, bool keepdims) {
  for (int64_t axis : axes) {
    for (int64_t size = node.type(x).shape[axis]; size > 1; size = (size + 1) / 2) {
      const int64_t half = (size + 1) / 2;
      if (size % 2 != 0) x = PadAxis(node, x, axis, 0, 1, 1);
      x = node.Emit(Op::kMul, {Slice(node, x, axis, 0, half), Slice(node, x, axis, half, half)});
    }
  }
  if (keepdims) return x;
  const Shape kept = node.type(x).shape;
  Shape shape;
  for (int64_t i = 0; i < std::ssize(kept); ++i)
    if (std::ranges::count(axes, i) == 0) shape.push_back(kept[i]);
  return node.Reshape(x, shape);
}

std::optional<Tensor> RangeOf(double start, double limit, double delta, DType dtype) {
  constexpr double kMost = 1 << 24;
  if (delta == 0) return std::nullopt;
  const double count = std::max(std::ceil((limit - start) / delta), 0.0);
  if (!(count <= kMost)) return std::nullopt;
  Tensor range(TensorType{dtype, {static_cast<int64_t>(count)}});
  DispatchDType(dtype, [&](auto zero) {
    using T = decltype(zero);
    auto y = range.mutable_data<T>();
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = static_cast<T>(start + delta * static_cast<double>(i));
  });
  return range;
}

}  // namespace vta::compiler
