// Real-valued matrix products: gemm and batched matmul.
#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {
namespace {

/// Any element type goes: float sums are in double, integer sums wrap.
template <typename T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;

struct MatMulShape {
  Shape batch_a, batch_b, batch;  // leading dimensions: each operand's, and the result's
  int64_t m, k, n;
};

MatMulShape SplitMatMul(const OpView& view) {
  Shape a = view.shape(0), b = view.shape(1);
  view.Require(!a.empty() && !b.empty(), "input shapes", StrCat(ToText(a), " and ", ToText(b)),
               "must have at least one dimension");
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  MatMulShape s{
      {a.begin(), a.end() - 2}, {b.begin(), b.end() - 2}, {}, a[a.size() - 2], a.back(), b.back()};
  view.Require(b[b.size() - 2] == s.k, "input shapes",
               StrCat(ToText(view.shape(0)), " and ", ToText(view.shape(1))),
               "the inner dimensions must be equal");
  s.batch = BroadcastShape(view, s.batch_a, s.batch_b);
  return s;
}

}  // namespace

TensorType InferGemm(const OpView& view) {
  const Shape &a = view.shape(0), &b = view.shape(1);
  view.Require(a.size() == 2 && b.size() == 2, "input shapes",
               StrCat(ToText(a), " and ", ToText(b)), "must be matrices");
  const bool ta = view.Int("trans_a") != 0, tb = view.Int("trans_b") != 0;
  view.Require(a[ta ? 0 : 1] == b[tb ? 1 : 0], "input shapes",
               StrCat(ToText(a), " and ", ToText(b)), "the inner dimensions must be equal");
  Shape out = {a[ta ? 1 : 0], b[tb ? 0 : 1]};
  for (const TensorType* type : view.inputs) {
    view.Require(type->dtype == DType::kFloat32 || type->dtype == DType::kFloat64, "input type",
                 Name(type->dtype), "must be a float type");
    view.Require(type->dtype == view.dtype(0), "input type", Name(type->dtype),
                 "must be the first input's type");
  }
  if (view.Has(2)) {
    view.Require(BroadcastShape(view, out, view.shape(2)) == out, "bias shape",
                 ToText(view.shape(2)), StrCat("must broadcast to ", ToText(out)));
  }
  return {view.dtype(0), out};
}

Tensor EvalGemm(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    const bool ta = view.Int("trans_a") != 0, tb = view.Int("trans_b") != 0;
    const int64_t m = view.output.shape[0], n = view.output.shape[1];
    const int64_t k = view.shape(0)[ta ? 0 : 1];
    const double alpha = view.node.attributes.Double("alpha");
    const double beta = view.node.attributes.Double("beta");
    auto a = view.tensor(0).data<T>(), b = view.tensor(1).data<T>();
    std::vector<int64_t> bias_index;
    if (view.Has(2)) bias_index = BroadcastIndices(view.shape(2), view.output.shape);
    Tensor result(view.output);
    auto y = result.mutable_data<T>();
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += static_cast<double>(a[ta ? p * m + i : i * k + p]) * b[tb ? j * k + p : p * n + j];
        sum *= alpha;
        if (view.Has(2)) sum += beta * view.tensor(2).data<T>()[bias_index[i * n + j]];
        y[i * n + j] = static_cast<T>(sum);
      }
    return result;
  });
}

TensorType InferMatMul(const OpView& view) {
  view.Require(view.dtype(0) == view.dtype(1) && view.dtype(0) != DType::kBool, "input types",
               StrCat(Name(view.dtype(0)), " and ", Name(view.dtype(1))),
               "must be one number type");
  MatMulShape s = SplitMatMul(view);
  Shape out = s.batch;
  if (view.shape(0).size() > 1) out.push_back(s.m);
  if (view.shape(1).size() > 1) out.push_back(s.n);
  return {view.dtype(0), out};
}

Tensor EvalMatMul(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    const MatMulShape s = SplitMatMul(view);
    const auto batch_a = BroadcastIndices(s.batch_a, s.batch);
    const auto batch_b = BroadcastIndices(s.batch_b, s.batch);
    auto a = view.tensor(0).data<T>(), b = view.tensor(1).data<T>();
    Tensor result(view.output);
    auto y = result.mutable_data<T>();
    size_t at = 0;
    for (size_t batch = 0; batch < batch_a.size(); ++batch) {
      const T* pa = &a[batch_a[batch] * s.m * s.k];
      const T* pb = &b[batch_b[batch] * s.k * s.n];
      for (int64_t i = 0; i < s.m; ++i)
        for (int64_t j = 0; j < s.n; ++j) {
          Sum<T> sum{};
          for (int64_t p = 0; p < s.k; ++p)
            sum += static_cast<Sum<T>>(pa[i * s.k + p]) * static_cast<Sum<T>>(pb[p * s.n + j]);
          y[at++] = static_cast<T>(sum);
        }
    }
    return result;
  });
}

}  // namespace vta::compiler::ops
