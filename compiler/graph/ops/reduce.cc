// Mean over axes, and softmax along one.
#include <algorithm>
#include <cmath>

#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {
namespace {

std::vector<bool> ReducedAxes(const OpView& view) {
  const std::vector<int64_t>& axes = view.Ints("axes");
  const int64_t rank = static_cast<int64_t>(view.shape(0).size());
  std::vector<bool> reduced(rank);
  for (int64_t axis : axes) {
    view.Require(axis >= 0 && axis < rank && !reduced[axis], "axes", ToText(axes),
                 StrCat("must be distinct axes of a tensor of rank ", rank));
    reduced[axis] = true;
  }
  return reduced;
}

}  // namespace

TensorType InferReduceMean(const OpView& view) {
  view.Require(IsFloat(view.dtype(0)), "input type", Name(view.dtype(0)), "must be a float type");
  const std::vector<bool> reduced = ReducedAxes(view);
  TensorType type{view.dtype(0), {}};
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i]) type.shape.push_back(view.shape(0)[i]);
    if (reduced[i] && view.Int("keepdims") != 0) type.shape.push_back(1);
  }
  return type;
}

Tensor EvalReduceMean(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<bool> reduced = ReducedAxes(view);
    Shape kept = view.shape(0);
    for (size_t i = 0; i < kept.size(); ++i) kept[i] = reduced[i] ? 1 : kept[i];
    // The element of the result that each input adds to is the one it would read when broadcast.
    const auto target = BroadcastIndices(kept, view.shape(0));
    std::vector<double> sums(Elements(kept));
    auto x = view.tensor(0).data<T>();
    for (size_t i = 0; i < x.size(); ++i) sums[target[i]] += x[i];
    Tensor result(view.output);
    auto y = result.mutable_data<T>();
    const double count = static_cast<double>(x.size() / sums.size());
    for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(sums[i] / count);
    return result;
  });
}

TensorType InferSoftmax(const OpView& view) {
  view.Require(IsFloat(view.dtype(0)), "input type", Name(view.dtype(0)), "must be a float type");
  const int64_t axis = view.Int("axis"), rank = static_cast<int64_t>(view.shape(0).size());
  view.Require(axis >= 0 && axis < rank, "axis", StrCat(axis),
               StrCat("must be an axis of a tensor of rank ", rank));
  return *view.inputs[0];
}

Tensor EvalSoftmax(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Shape& shape = view.output.shape;
    const int64_t axis = view.Int("axis"), count = shape[axis], step = Strides(shape)[axis];
    Tensor result = view.tensor(0);
    auto y = result.mutable_data<T>();
    for (int64_t line = 0; line < result.elements() / count; ++line) {
      T* first = &y[line / step * step * count + line % step];
      T most = *first;
      for (int64_t i = 0; i < count; ++i) most = std::max(most, first[i * step]);
      double sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += first[i * step] = std::exp(first[i * step] - most);
      for (int64_t i = 0; i < count; ++i) first[i * step] = static_cast<T>(first[i * step] / sum);
    }
    return result;
  });
}

}  // namespace vta::compiler::ops
