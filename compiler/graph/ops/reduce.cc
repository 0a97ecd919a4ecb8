// Sum, mean, greatest and least over axes; softmax along one; the place of the greatest.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {
namespace {

int64_t RequireAxis(const OpView& view) {
  const int64_t axis = view.Int("axis"), rank = static_cast<int64_t>(view.shape(0).size());
  view.Require(axis >= 0 && axis < rank, "axis", StrCat(axis),
               StrCat("must be an axis of a tensor of rank ", rank));
  return axis;
}

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

/// Folds the elements that each element of the result reads, in Acc's arithmetic; finish(folded,
/// how many) makes the element.
template <typename T, typename Acc, typename F, typename Finish>
Tensor Fold(const EvalView& view, Acc start, F fold, Finish finish) {
  const std::vector<bool> reduced = ReducedAxes(view);
  Shape kept = view.shape(0);
  for (size_t i = 0; i < kept.size(); ++i) kept[i] = reduced[i] ? 1 : kept[i];
  // The element of the result that each input goes to is the one it would read when broadcast.
  const auto target = BroadcastIndices(kept, view.shape(0));
  std::vector<Acc> folded(Elements(kept), start);
  auto x = view.tensor(0).data<T>();
  for (size_t i = 0; i < x.size(); ++i)
    folded[target[i]] = fold(folded[target[i]], static_cast<Acc>(x[i]));
  Tensor result(view.output);
  auto y = result.mutable_data<T>();
  for (size_t i = 0; i < y.size(); ++i)
    y[i] = static_cast<T>(finish(folded[i], x.size() / folded.size()));
  return result;
}

/// What no number of a type is below, or above where `sign` is -1.
template <typename T>
constexpr T Beyond(int sign) {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity) return static_cast<T>(-sign) * Limits::infinity();
  return sign > 0 ? Limits::lowest() : Limits::max();
}

constexpr auto kAsItIs = [](auto folded, size_t) { return folded; };

/// Calls f with the elements of each line along the axis: first element, elements between
/// neighbours; and the line's number.
template <typename F>
void ForEachLine(const Shape& shape, int64_t axis, F f) {
  const int64_t count = shape[axis], step = Strides(shape)[axis];
  for (int64_t line = 0; line < Elements(shape) / count; ++line)
    f(line / step * step * count + line % step, step, line);
}

}  // namespace

TensorType InferReduce(const OpView& view) {
  view.Require(view.dtype(0) != DType::kBool, "input type", "bool", "must be a number type");
  const std::vector<bool> reduced = ReducedAxes(view);
  TensorType type{view.dtype(0), {}};
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i]) type.shape.push_back(view.shape(0)[i]);
    if (reduced[i] && view.Int("keepdims") != 0) type.shape.push_back(1);
  }
  return type;
}

TensorType InferReduceMean(const OpView& view) {
  view.Require(IsFloat(view.dtype(0)), "input type", Name(view.dtype(0)), "must be a float type");
  return InferReduce(view);
}

Tensor EvalReduceMean(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    return Fold<decltype(zero)>(view, 0.0, std::plus<>(), [](double sum, size_t count) {
      return sum / static_cast<double>(count);
    });
  });
}

Tensor EvalReduceSum(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    using Acc = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;  // wraps
    return Fold<T>(view, Acc{}, std::plus<>(), kAsItIs);
  });
}

Tensor EvalReduceMax(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&]<typename T>(T) {
    return Fold<T>(
        view, Beyond<T>(1), [](T a, T b) { return std::max(a, b); }, kAsItIs);
  });
}

Tensor EvalReduceMin(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&]<typename T>(T) {
    return Fold<T>(
        view, Beyond<T>(-1), [](T a, T b) { return std::min(a, b); }, kAsItIs);
  });
}

TensorType InferSoftmax(const OpView& view) {
  view.Require(IsFloat(view.dtype(0)), "input type", Name(view.dtype(0)), "must be a float type");
  RequireAxis(view);
  return *view.inputs[0];
}

Tensor EvalSoftmax(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t axis = view.Int("axis"), count = view.output.shape[axis];
    Tensor result = view.tensor(0);
    auto y = result.mutable_data<T>();
    ForEachLine(view.output.shape, axis, [&](int64_t first, int64_t step, int64_t) {
      T* line = &y[first];
      T most = *line;
      for (int64_t i = 0; i < count; ++i) most = std::max(most, line[i * step]);
      double sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += line[i * step] = std::exp(line[i * step] - most);
      for (int64_t i = 0; i < count; ++i) line[i * step] = static_cast<T>(line[i * step] / sum);
    });
    return result;
  });
}

Tensor EvalNormalize(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t axis = view.Int("axis"), count = view.output.shape[axis];
    const double epsilon = view.node.attributes.Double("epsilon");
    Tensor result = view.tensor(0);
    auto y = result.mutable_data<T>();
    ForEachLine(view.output.shape, axis, [&](int64_t first, int64_t step, int64_t) {
      T* line = &y[first];
      double mean = 0, squares = 0;
      for (int64_t i = 0; i < count && view.Int("centred"); ++i)
        mean += static_cast<double>(line[i * step]) / static_cast<double>(count);
      for (int64_t i = 0; i < count; ++i)
        squares += (line[i * step] - mean) * (line[i * step] - mean);
      const double deviation = std::sqrt(squares / static_cast<double>(count) + epsilon);
      for (int64_t i = 0; i < count; ++i)
        line[i * step] = static_cast<T>((line[i * step] - mean) / deviation);
    });
    return result;
  });
}

TensorType InferArgMax(const OpView& view) {
  view.Require(view.dtype(0) != DType::kBool, "input type", "bool", "must be a number type");
  TensorType type{DType::kInt64, view.shape(0)};
  type.shape[RequireAxis(view)] = 1;
  return type;
}

Tensor EvalArgMax(const EvalView& view) {
  const int64_t axis = view.Int("axis"), count = view.shape(0)[axis];
  const bool last = view.Int("last") != 0;
  Tensor result(view.output);
  auto y = result.mutable_data<int64_t>();
  DispatchDType(view.dtype(0), [&](auto zero) {
    auto x = view.tensor(0).data<decltype(zero)>();
    ForEachLine(view.shape(0), axis, [&](int64_t first, int64_t step, int64_t line) {
      int64_t best = 0;
      for (int64_t i = 1; i < count; ++i) {
        const auto here = x[first + i * step], most = x[first + best * step];
        if (here > most || (last && here == most)) best = i;
      }
      y[line] = best;
    });
  });
  return result;
}

TensorType InferTopK(const OpView& view) {
  view.Require(view.dtype(0) != DType::kBool, "input type", "bool", "must be a number type");
  TensorType type{DType::kInt64, view.shape(0)};
  int64_t& size = type.shape[RequireAxis(view)];
  const int64_t k = view.Int("k");
  view.Require(k >= 1 && k <= size, "k", StrCat(k), StrCat("must be in [1, ", size, "]"));
  size = k;
  return type;
}

Tensor EvalTopK(const EvalView& view) {
  const int64_t axis = view.Int("axis"), count = view.shape(0)[axis], k = view.Int("k");
  Tensor result(view.output);
  auto y = result.mutable_data<int64_t>();
  DispatchDType(view.dtype(0), [&](auto zero) {
    auto x = view.tensor(0).data<decltype(zero)>();
    ForEachLine(view.shape(0), axis, [&](int64_t first, int64_t step, int64_t line) {
      std::vector<int64_t> order(count);
      for (int64_t i = 0; i < count; ++i) order[i] = i;
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return x[first + a * step] > x[first + b * step];
      });
      for (int64_t i = 0; i < k; ++i) y[line / step * step * k + i * step + line % step] = order[i];
    });
  });
  return result;
}

}  // namespace vta::compiler::ops
