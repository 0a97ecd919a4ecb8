// Ops that choose elements: slice, gather, expand.
#include <cstring>

#include "compiler/graph/ops/convert.h"
#include "compiler/graph/ops/families.h"
#include "isa/support/plural.h"

namespace vta::compiler::ops {
namespace {

void RequireRank(const OpView& view, std::string_view name) {
  view.Require(view.Ints(name).size() == view.shape(0).size(), name, ToText(view.Ints(name)),
               StrCat("must have a number for each of ", view.shape(0).size(), " axes"));
}

/// Calls f(number of the element, its position) for each element of the shape, in order.
template <typename F>
void ForEachPosition(const Shape& shape, F f) {
  Shape position(shape.size(), 0);
  for (int64_t i = 0; i < Elements(shape); ++i) {
    f(i, position);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++position[d] < shape[d]) break;
      position[d] = 0;
    }
  }
}

void CopyElement(const Tensor& source, int64_t from, Tensor& result, int64_t to) {
  const int64_t size = Bytes(source.dtype());
  std::memcpy(&result.mutable_bytes()[to * size], &source.bytes()[from * size], size);
}

}  // namespace

TensorType InferSlice(const OpView& view) {
  for (const char* name : {"starts", "steps", "shape"}) RequireRank(view, name);
  const Shape& x = view.shape(0);
  const auto &starts = view.Ints("starts"), &steps = view.Ints("steps"),
             &shape = view.Ints("shape");
  for (size_t d = 0; d < x.size(); ++d) {
    const bool sound = starts[d] >= 0 && starts[d] < x[d] && shape[d] >= 1 && shape[d] <= x[d] &&
                       steps[d] > -x[d] - 1 && steps[d] < x[d] + 1;
    const int64_t last = sound ? starts[d] + (shape[d] - 1) * steps[d] : kNone;
    view.Require(last >= 0 && last < x[d], StrCat("slice of axis ", d),
                 StrCat(shape[d], " from ", starts[d], " by ", steps[d]),
                 StrCat("must lie within its ", Counted(x[d], "element")));
  }
  return {view.dtype(0), shape};
}

Tensor EvalSlice(const EvalView& view) {
  const Shape strides = Strides(view.shape(0));
  const auto &starts = view.Ints("starts"), &steps = view.Ints("steps");
  Tensor result(view.output);
  ForEachPosition(view.output.shape, [&](int64_t to, const Shape& at) {
    int64_t from = 0;
    for (size_t d = 0; d < at.size(); ++d) from += (starts[d] + at[d] * steps[d]) * strides[d];
    CopyElement(view.tensor(0), from, result, to);
  });
  return result;
}

TensorType InferGather(const OpView& view) {
  const Shape& x = view.shape(0);
  const int64_t axis = view.Int("axis"), rank = static_cast<int64_t>(x.size());
  view.Require(axis >= 0 && axis < rank, "axis", StrCat(axis),
               StrCat("must be an axis of a tensor of rank ", rank));
  view.Require(view.dtype(1) == DType::kInt64 || view.dtype(1) == DType::kInt32, "index type",
               Name(view.dtype(1)), "must be int32 or int64");
  TensorType type{view.dtype(0), {x.begin(), x.begin() + axis}};
  type.shape.insert(type.shape.end(), view.shape(1).begin(), view.shape(1).end());
  type.shape.insert(type.shape.end(), x.begin() + axis + 1, x.end());
  return type;
}

/// An index below 0 counts from the end; what is beyond either end is the element there.
Tensor EvalGather(const EvalView& view) {
  const int64_t axis = view.Int("axis"), size = view.shape(0)[axis];
  const int64_t chunk = Strides(view.shape(0))[axis];  // elements that lie together
  const int64_t count = view.tensor(1).elements(), bytes = chunk * Bytes(view.dtype(0));
  const int64_t outer = view.tensor(0).elements() / size / chunk;
  Tensor result(view.output);
  for (int64_t i = 0; i < outer * count; ++i) {
    auto index = static_cast<int64_t>(view.tensor(1).At(i % count));
    index = std::min(std::max<int64_t>(index < 0 ? index + size : index, 0), size - 1);
    std::memcpy(&result.mutable_bytes()[i * bytes],
                &view.tensor(0).bytes()[(i / count * size + index) * bytes], bytes);
  }
  return result;
}

TensorType InferExpand(const OpView& view) {
  const Shape& shape = view.Ints("shape");
  view.Require(BroadcastShape(view, view.shape(0), shape) == shape, "shape", ToText(shape),
               StrCat("must be what ", ToText(view.shape(0)), " broadcasts to"));
  return {view.dtype(0), shape};
}

Tensor EvalExpand(const EvalView& view) {
  const auto from = BroadcastIndices(view.shape(0), view.output.shape);
  Tensor result(view.output);
  for (size_t i = 0; i < from.size(); ++i)
    CopyElement(view.tensor(0), from[i], result, static_cast<int64_t>(i));
  return result;
}

}  // namespace vta::compiler::ops
