// Between real values and integer codes: real = (code - zero_point) * scale, a scale for the whole
// tensor or for each index of one axis.
#include <cmath>
#include <limits>

#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {
namespace {

void CheckScale(const OpView& view) {
  const Shape &x = view.shape(0), &scale = view.shape(1);
  view.Require(view.dtype(1) == DType::kFloat32, "scale type", Name(view.dtype(1)),
               "must be float32");
  view.Require(view.shape(2) == scale, "zero point shape", ToText(view.shape(2)),
               StrCat("must be the scale's ", ToText(scale)));
  if (scale.empty()) return;
  const int64_t axis = view.Int("axis"), rank = static_cast<int64_t>(x.size());
  view.Require(axis >= 0 && axis < rank, "axis", StrCat(axis),
               StrCat("must be an axis of a tensor of rank ", rank));
  view.Require(scale.size() == 1 && scale[0] == x[axis], "scale shape", ToText(scale),
               StrCat("must be [] or [", x[axis], "]"));
}

/// For each element of x, the index of its scale.
std::vector<int64_t> ScaleIndices(const OpView& view) {
  Shape scale(view.shape(0).size(), 1);
  if (!view.shape(1).empty()) scale[view.Int("axis")] = view.shape(1)[0];
  return BroadcastIndices(scale, view.shape(0));
}

bool IsCode(DType dtype) {
  return dtype == DType::kInt8 || dtype == DType::kUint8 || dtype == DType::kInt16 ||
         dtype == DType::kUint16 || dtype == DType::kInt32;
}

}  // namespace

TensorType InferQuantize(const OpView& view) {
  CheckScale(view);
  view.Require(view.dtype(0) == DType::kFloat32, "input type", Name(view.dtype(0)),
               "must be float32");
  view.Require(IsCode(view.dtype(2)) && view.dtype(2) != DType::kInt32, "zero point type",
               Name(view.dtype(2)), "must be an integer type of 8 or 16 bits");
  return {view.dtype(2), view.shape(0)};
}

Tensor EvalQuantize(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_integral_v<T> || sizeof(T) > 2) {
      return Tensor();
    } else {
      auto x = view.tensor(0).data<float>(), scale = view.tensor(1).data<float>();
      auto zero_point = view.tensor(2).data<T>();
      const auto index = ScaleIndices(view);
      Tensor result(view.output);
      auto y = result.mutable_data<T>();
      constexpr float kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
      for (size_t i = 0; i < y.size(); ++i) {
        // Ties go to even: the default floating-point rounding mode.
        const float code = std::nearbyint(x[i] / scale[index[i]]) + zero_point[index[i]];
        y[i] = std::isnan(code) ? zero_point[index[i]]
                                : static_cast<T>(code < kLow    ? kLow
                                                 : code > kHigh ? kHigh
                                                                : code);
      }
      return result;
    }
  });
}

TensorType InferDequantize(const OpView& view) {
  CheckScale(view);
  view.Require(IsCode(view.dtype(0)), "input type", Name(view.dtype(0)),
               "must be an integer type of 8, 16 or 32 bits");
  view.Require(view.dtype(2) == view.dtype(0), "zero point type", Name(view.dtype(2)),
               "must be the input's type");
  return {DType::kFloat32, view.shape(0)};
}

Tensor EvalDequantize(const EvalView& view) {
  return DispatchDType(view.dtype(0), [&](auto zero) {
    using T = decltype(zero);
    auto x = view.tensor(0).data<T>(), zero_point = view.tensor(2).data<T>();
    auto scale = view.tensor(1).data<float>();
    const auto index = ScaleIndices(view);
    Tensor result(view.output);
    auto y = result.mutable_data<float>();
    for (size_t i = 0; i < y.size(); ++i) {
      const double code = static_cast<double>(x[i]) - static_cast<double>(zero_point[index[i]]);
      y[i] = static_cast<float>(code) * scale[index[i]];
    }
    return result;
  });
}

}  // namespace vta::compiler::ops
