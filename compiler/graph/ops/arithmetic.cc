// Element-wise ops of two and three operands under the numpy broadcast rule. Integer arithmetic
// wraps.
#include <algorithm>
#include <cmath>

#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {
namespace {

/// y[i] = f(a, b) of the elements that y[i] reads; both operands are of type T, y is of type R.
template <typename T, typename R, typename F>
Tensor Combine(const EvalView& view, F f) {
  Tensor result(view.output);
  auto a = view.tensor(0).data<T>(), b = view.tensor(1).data<T>();
  auto y = result.mutable_data<R>();
  const auto ia = BroadcastIndices(view.shape(0), view.output.shape);
  const auto ib = BroadcastIndices(view.shape(1), view.output.shape);
  for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<R>(f(a[ia[i]], b[ib[i]]));
  return result;
}

/// f gets numbers of one type and gives one.
template <typename F>
Tensor Numbers(const EvalView& view, F f) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    return Combine<T, T>(view, f);
  });
}

/// The same of arithmetic that may overflow: integers wrap, as unsigned 64-bit arithmetic does.
template <typename F>
Tensor Wrapping(const EvalView& view, F f) {
  return Numbers(view, [&]<typename T>(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return f(a, b);
    } else {
      return f(static_cast<uint64_t>(a), static_cast<uint64_t>(b));
    }
  });
}

template <typename F>
Tensor Compared(const EvalView& view, F f) {
  return DispatchDType(view.dtype(0),
                       [&](auto zero) { return Combine<decltype(zero), bool>(view, f); });
}

/// Rounded down; by 0 it is 0.
template <typename T>
T FloorQuotient(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(-static_cast<uint64_t>(a));  // the least number overflows
    return static_cast<T>(a / b - (a % b != 0 && (a < 0) != (b < 0)));
  } else {
    return static_cast<T>(a / b);
  }
}

template <typename T>
T FloorRest(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) -
                        static_cast<uint64_t>(b) * static_cast<uint64_t>(FloorQuotient(a, b)));
}

}  // namespace

TensorType InferBinary(const OpView& view) {
  view.Require(view.dtype(0) == view.dtype(1), "input types",
               StrCat(Name(view.dtype(0)), " and ", Name(view.dtype(1))), "must be equal");
  view.Require(view.dtype(0) != DType::kBool, "input type", "bool", "must be a number type");
  return {view.dtype(0), BroadcastShape(view, view.shape(0), view.shape(1))};
}

TensorType InferPow(const OpView& view) {
  view.Require(IsFloat(view.dtype(0)), "input type", Name(view.dtype(0)), "must be a float type");
  return InferBinary(view);
}

TensorType InferMod(const OpView& view) {
  view.Require(!IsFloat(view.dtype(0)), "input type", Name(view.dtype(0)),
               "must be an integer type");
  return InferBinary(view);
}

TensorType InferLess(const OpView& view) { return {DType::kBool, InferBinary(view).shape}; }

TensorType InferEqual(const OpView& view) {
  view.Require(view.dtype(0) == view.dtype(1), "input types",
               StrCat(Name(view.dtype(0)), " and ", Name(view.dtype(1))), "must be equal");
  return {DType::kBool, BroadcastShape(view, view.shape(0), view.shape(1))};
}

TensorType InferLogic(const OpView& view) {
  for (int i = 0; i < 2; ++i)
    view.Require(view.dtype(i) == DType::kBool, "input type", Name(view.dtype(i)), "must be bool");
  return {DType::kBool, BroadcastShape(view, view.shape(0), view.shape(1))};
}

TensorType InferWhere(const OpView& view) {
  view.Require(view.dtype(0) == DType::kBool, "condition type", Name(view.dtype(0)),
               "must be bool");
  view.Require(view.dtype(1) == view.dtype(2), "input types",
               StrCat(Name(view.dtype(1)), " and ", Name(view.dtype(2))), "must be equal");
  const Shape values = BroadcastShape(view, view.shape(1), view.shape(2));
  return {view.dtype(1), BroadcastShape(view, view.shape(0), values)};
}

Tensor EvalAdd(const EvalView& view) {
  return Wrapping(view, [](auto a, auto b) { return a + b; });
}
Tensor EvalSub(const EvalView& view) {
  return Wrapping(view, [](auto a, auto b) { return a - b; });
}
Tensor EvalMul(const EvalView& view) {
  return Wrapping(view, [](auto a, auto b) { return a * b; });
}
Tensor EvalDiv(const EvalView& view) {
  return Numbers(view, []<typename T>(T a, T b) -> T {
    if constexpr (std::is_floating_point_v<T>) {
      return a / b;
    } else {
      const T down = FloorQuotient(a, b);
      const bool rounded = b != T{} && FloorRest(a, b) != T{} && (a < T{}) != (b < T{});
      return static_cast<T>(rounded ? down + 1 : down);
    }
  });
}
Tensor EvalMod(const EvalView& view) {
  return Numbers(view, []<typename T>(T a, T b) -> T {
    if constexpr (std::is_floating_point_v<T>) {
      return a;  // InferMod refuses them
    } else {
      return FloorRest(a, b);
    }
  });
}
Tensor EvalMin(const EvalView& view) {
  return Numbers(view, [](auto a, auto b) { return std::min(a, b); });
}
Tensor EvalMax(const EvalView& view) {
  return Numbers(view, [](auto a, auto b) { return std::max(a, b); });
}
Tensor EvalPow(const EvalView& view) {
  return Numbers(view, [](auto a, auto b) { return std::pow(a, b); });
}
Tensor EvalEqual(const EvalView& view) {
  return Compared(view, [](auto a, auto b) { return a == b; });
}
Tensor EvalLess(const EvalView& view) {
  return Compared(view, [](auto a, auto b) { return a < b; });
}
Tensor EvalLessEqual(const EvalView& view) {
  return Compared(view, [](auto a, auto b) { return a <= b; });
}
Tensor EvalAnd(const EvalView& view) {
  return Combine<bool, bool>(view, [](bool a, bool b) { return a && b; });
}
Tensor EvalOr(const EvalView& view) {
  return Combine<bool, bool>(view, [](bool a, bool b) { return a || b; });
}

Tensor EvalWhere(const EvalView& view) {
  const auto chosen = view.tensor(0).data<bool>();
  const auto condition = BroadcastIndices(view.shape(0), view.output.shape);
  const auto a = BroadcastIndices(view.shape(1), view.output.shape);
  const auto b = BroadcastIndices(view.shape(2), view.output.shape);
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    Tensor result(view.output);
    auto y = result.mutable_data<T>();
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = chosen[condition[i]] ? view.tensor(1).data<T>()[a[i]] : view.tensor(2).data<T>()[b[i]];
    return result;
  });
}

}  // namespace vta::compiler::ops
