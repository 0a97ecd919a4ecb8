// Converters of operators that choose elements by indices.
#include <algorithm>
#include <numeric>

#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

Tensor Places(int64_t count) {
  std::vector<int64_t> places(count);
  std::iota(places.begin(), places.end(), int64_t{0});
  return Tensor::Of<int64_t>({count}, places);
}

/// Refuses indices known to lie outside of an axis.
void CheckIndices(OnnxNode& node, int64_t input, int64_t size) {
  if (!node.IsConstant(input)) return;
  const Tensor& indices = node.Constant(input, "indices");
  for (int64_t i = 0; i < indices.elements(); ++i)
    if (indices.At(i) < static_cast<double>(-size) || indices.At(i) >= static_cast<double>(size))
      throw node.Fail("indices", StrCat(static_cast<int64_t>(indices.At(i))),
                      StrCat("must be in [", -size, ", ", size, ")"));
}

/// Indices from 0 on: those below 0 count from the end.
ValueId FromTheFront(OnnxNode& node, ValueId indices, int64_t size) {
  const ValueId below = node.Emit(Op::kLess, {indices, node.Number(indices, 0)});
  const ValueId moved =
      node.Emit(Op::kAdd, {indices, node.Number(indices, static_cast<double>(size))});
  return node.Emit(Op::kWhere, {below, moved, indices});
}

}  // namespace

ValueId GatherAlong(OnnxNode& node, ValueId x, ValueId indices, int64_t axis) {
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
    if (i != axis && chosen[i] != shape[i]) part = Slice(node, part, i, 0, chosen[i]);
  const auto lines = [&](ValueId value) {
    const ValueId turned = node.Emit(Op::kTranspose, {value}, {{"perm", perm}});
    const int64_t size = node.type(value).shape[axis];
    return node.Reshape(turned, {Elements(node.type(value).shape) / size, size});
  };
  const ValueId values = lines(part), wide = node.Emit(Op::kCast, {indices}, {{"to", "int64"}});
  const ValueId places = lines(FromTheFront(node, wide, shape[axis]));
  const int64_t count = node.type(values).shape[0], size = shape[axis];
  Tensor starts = Places(count);
  for (int64_t& start : starts.mutable_data<int64_t>()) start *= size;
  const ValueId all = node.Emit(
      Op::kAdd, {places, node.AddConstant("starts", std::move(starts).Reshaped({count, 1}))});
  const ValueId flat = node.Reshape(values, {count * size});
  const ValueId found = node.Emit(Op::kGather, {flat, all}, {{"axis", int64_t{0}}});
  Shape turned;
  for (int64_t i : perm) turned.push_back(chosen[i]);
  return node.Emit(Op::kTranspose, {node.Reshape(found, turned)}, {{"perm", back}});
}

void ConvertGather(OnnxNode& node) {
  const int64_t axis = node.Axis(node.Int("axis", 0), node.Rank(0));
  CheckIndices(node, 1, node.InputShape(0)[axis]);
  node.Result(node.Emit(Op::kGather, {node.Input(0), node.Input(1)}, {{"axis", axis}}));
}

void ConvertGatherElements(OnnxNode& node) {
  const int64_t axis = node.Axis(node.Int("axis", 0), node.Rank(0));
  const Shape x = node.InputShape(0), indices = node.InputShape(1);
  bool fits = indices.size() == x.size();
  for (size_t i = 0; fits && i < x.size(); ++i)
    fits = static_cast<int64_t>(i) == axis || indices[i] <= x[i];
  if (!fits)
    throw node.Fail("indices shape", ToText(indices),
                    StrCat("must fit in ", ToText(x), " but for axis ", axis));
  CheckIndices(node, 1, x[axis]);
  node.Result(GatherAlong(node, node.Input(0), node.Input(1), axis));
}

void ConvertGatherND(OnnxNode& node) {
  const Shape x = node.InputShape(0), indices = node.InputShape(1);
  const auto batches = static_cast<size_t>(node.opset() < 12 ? 0 : node.Int("batch_dims", 0));
  const size_t depth = indices.empty() ? 0 : static_cast<size_t>(indices.back());
  if (batches >= indices.size() || depth < 1 || batches + depth > x.size() ||
      !std::equal(x.begin(), x.begin() + static_cast<int64_t>(batches), indices.begin()))
    throw node.Fail("indices shape", ToText(indices),
                    StrCat("must name elements of ", ToText(x), " in ", batches, " batches"));
  const int64_t batch = Elements(Shape(x.begin(), x.begin() + batches));
  const Shape inner(x.begin() + batches, x.begin() + batches + depth);
  const Shape rest(x.begin() + batches + depth, x.end());
  const int64_t each = Elements(inner), count = Elements(indices) / batch / indices.back();
  // Where an element lies among all of the first axes, by the strides of those.
  const ValueId table = node.Reshape(node.Emit(Op::kCast, {node.Input(1)}, {{"to", "int64"}}),
                                     {batch, count, indices.back()});
  Tensor starts = Places(batch);
  for (int64_t& start : starts.mutable_data<int64_t>()) start *= each;
  ValueId place = node.AddConstant("starts", std::move(starts).Reshaped({batch, 1, 1}));
  const Shape strides = Strides(inner);
  for (size_t d = 0; d < depth; ++d) {
    const ValueId part =
        FromTheFront(node, Slice(node, table, 2, static_cast<int64_t>(d), 1), inner[d]);
    const ValueId step = node.Number(part, static_cast<double>(strides[d]));
    place = node.Emit(Op::kAdd, {place, node.Emit(Op::kMul, {part, step})});
  }
  Shape flat = {batch * each}, shape(indices.begin(), indices.end() - 1);
  flat.insert(flat.end(), rest.begin(), rest.end());
  shape.insert(shape.end(), rest.begin(), rest.end());
  const ValueId places = node.Reshape(place, {batch * count});
  const ValueId found =
      node.Emit(Op::kGather, {node.Reshape(node.Input(0), flat), places}, {{"axis", int64_t{0}}});
  node.Result(node.Reshape(found, shape));
}

void ConvertOneHot(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  const int64_t rank = static_cast<int64_t>(x.size()) + 1;
  const int64_t axis = node.Axis(node.Int("axis", -1), rank);
  const auto depth = static_cast<int64_t>(node.ConstantNumber(1, "input depth"));
  constexpr int64_t kMostDepth = 1 << 24;
  if (depth < 1 || depth > kMostDepth)
    throw node.Fail("input depth", StrCat(depth), "must be from 1 to 2^24");
  if (node.InputShape(2) != Shape{2})
    throw node.Fail("values shape", ToText(node.InputShape(2)), "must be [2]");
  Shape apart = x, line(rank, 1);
  apart.insert(apart.begin() + axis, 1);
  line[axis] = depth;
  const ValueId wide = node.Emit(Op::kCast, {node.Input(0)}, {{"to", "int64"}});
  const ValueId indices = node.Reshape(FromTheFront(node, wide, depth), apart);
  const ValueId places = node.AddConstant("places", Places(depth).Reshaped(line));
  const auto value = [&](int64_t i) {
    return node.Reshape(Slice(node, node.Input(2), 0, i, 1), {});
  };
  node.Result(
      node.Emit(Op::kWhere, {node.Emit(Op::kEqual, {indices, places}), value(1), value(0)}));
}

}  // namespace vta::compiler
