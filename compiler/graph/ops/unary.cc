// Element-wise ops of one operand.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "compiler/graph/ops/convert.h"
#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {
namespace {

/// y[i] = f(x[i]) for any number type.
template <typename F>
Tensor Each(const EvalView& view, F f) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    Tensor result = view.tensor(0);
    for (T& v : result.mutable_data<T>()) v = static_cast<T>(f(v));
    return result;
  });
}

/// The same for the types that InferFloat lets through.
template <typename F>
Tensor EachReal(const EvalView& view, F f) {
  return Each(view, [&]<typename T>(T v) {
    if constexpr (std::is_floating_point_v<T>) {
      return f(v);
    } else {
      return v;
    }
  });
}

}  // namespace

TensorType InferSame(const OpView& view) { return *view.inputs[0]; }

TensorType InferNumber(const OpView& view) {
  view.Require(view.dtype(0) != DType::kBool, "input type", "bool", "must be a number type");
  return *view.inputs[0];
}

TensorType InferFloat(const OpView& view) {
  view.Require(IsFloat(view.dtype(0)), "input type", Name(view.dtype(0)), "must be a float type");
  return *view.inputs[0];
}

TensorType InferNot(const OpView& view) {
  view.Require(view.dtype(0) == DType::kBool, "input type", Name(view.dtype(0)), "must be bool");
  return *view.inputs[0];
}

Tensor EvalRelu(const EvalView& view) {
  return Each(view, []<typename T>(T v) { return v < T{} ? T{} : v; });
}

Tensor EvalClip(const EvalView& view) {
  return Each(view, [&]<typename T>(T v) {
    const T low = Convert<T>(view.node.attributes.Double("low"));
    const T high = Convert<T>(view.node.attributes.Double("high"));
    return std::min(std::max(v, low), high);
  });
}

Tensor EvalAbs(const EvalView& view) {
  return Each(view, []<typename T>(T v) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::abs(v);
    } else {
      return v < T{} ? T{} - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
    }
  });
}

Tensor EvalSign(const EvalView& view) {
  return Each(view, []<typename T>(T v) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(v)) return v;
    }
    return static_cast<T>((v > T{}) - (v < T{}));
  });
}

Tensor EvalNot(const EvalView& view) {
  Tensor result = view.tensor(0);
  for (bool& v : result.mutable_data<bool>()) v = !v;
  return result;
}

Tensor EvalFloor(const EvalView& view) {
  return EachReal(view, [](auto v) { return std::floor(v); });
}
Tensor EvalRound(const EvalView& view) {  // the default floating-point rounding mode
  return EachReal(view, [](auto v) { return std::nearbyint(v); });
}
Tensor EvalExp(const EvalView& view) {
  return EachReal(view, [](auto v) { return std::exp(v); });
}
Tensor EvalLog(const EvalView& view) {
  return EachReal(view, [](auto v) { return std::log(v); });
}
Tensor EvalSqrt(const EvalView& view) {
  return EachReal(view, [](auto v) { return std::sqrt(v); });
}
Tensor EvalTanh(const EvalView& view) {
  return EachReal(view, [](auto v) { return std::tanh(v); });
}
Tensor EvalErf(const EvalView& view) {
  return EachReal(view, [](auto v) { return std::erf(v); });
}
Tensor EvalGelu(const EvalView& view) {
  return EachReal(view, [](auto v) {
    const double x = v;
    return static_cast<decltype(v)>(0.5 * x * std::erfc(x * -std::numbers::sqrt2 / 2));
  });
}
Tensor EvalSigmoid(const EvalView& view) {
  return EachReal(view, [](auto v) { return 1 / (1 + std::exp(-v)); });
}

Tensor EvalSin(const EvalView& view) {
  return EachReal(view, [](auto v) { return std::sin(v); });
}
Tensor EvalCos(const EvalView& view) {
  return EachReal(view, [](auto v) { return std::cos(v); });
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
