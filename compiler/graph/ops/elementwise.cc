// Element-wise ops on any type: add, mul, relu, clip, cast. Integer arithmetic wraps.
#include <algorithm>

#include "compiler/graph/ops/convert.h"
#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {
namespace {

/// a op b in the type's own arithmetic; integers wrap, which unsigned 64-bit arithmetic does.
template <typename T, typename F>
T Apply(F f, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return f(a, b);
  } else {
    return static_cast<T>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  }
}

template <typename F>
Tensor Binary(const EvalView& view, F f) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    Tensor result(view.output);
    auto a = view.tensor(0).data<T>(), b = view.tensor(1).data<T>();
    auto y = result.mutable_data<T>();
    const auto ia = BroadcastIndices(view.shape(0), view.output.shape);
    const auto ib = BroadcastIndices(view.shape(1), view.output.shape);
    for (size_t i = 0; i < y.size(); ++i) y[i] = Apply<T>(f, a[ia[i]], b[ib[i]]);
    return result;
  });
}

}  // namespace

TensorType InferBinary(const OpView& view) {
  view.Require(view.dtype(0) == view.dtype(1), "input types",
               StrCat(Name(view.dtype(0)), " and ", Name(view.dtype(1))), "must be equal");
  view.Require(view.dtype(0) != DType::kBool, "input type", "bool", "must be a number type");
  return {view.dtype(0), BroadcastShape(view, view.shape(0), view.shape(1))};
}

Tensor EvalAdd(const EvalView& view) {
  return Binary(view, [](auto a, auto b) { return a + b; });
}

Tensor EvalMul(const EvalView& view) {
  return Binary(view, [](auto a, auto b) { return a * b; });
}

TensorType InferSame(const OpView& view) { return *view.inputs[0]; }

Tensor EvalRelu(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    Tensor result = view.tensor(0);
    for (T& v : result.mutable_data<T>()) v = v < T{} ? T{} : v;
    return result;
  });
}

Tensor EvalClip(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T low = Convert<T>(view.node.attributes.Double("low"));
    const T high = Convert<T>(view.node.attributes.Double("high"));
    Tensor result = view.tensor(0);
    for (T& v : result.mutable_data<T>()) v = std::min(std::max(v, low), high);
    return result;
  });
}

TensorType InferCast(const OpView& view) {
  const std::string& to = view.node.attributes.String("to");
  auto dtype = DTypeFromName(to);
  view.Require(dtype.has_value(), "attribute to", to, "must name an element type");
  return {*dtype, view.shape(0)};
}

Tensor EvalCast(const EvalView& view) {
  return DispatchDType(view.dtype(0), [&](auto from) {
    return DispatchDType(view.output.dtype, [&](auto to) {
      Tensor result(view.output);
      auto x = view.tensor(0).data<decltype(from)>();
      auto y = result.mutable_data<decltype(to)>();
      for (size_t i = 0; i < y.size(); ++i) y[i] = Convert<decltype(to)>(x[i]);
      return result;
    });
  });
}

}  // namespace vta::compiler::ops
