// Real-valued 2-D convolution: grouped, strided, padded, dilated.
#include "compiler/graph/ops/convolve.h"
#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {

TensorType InferConv2d(const OpView& view) {
  view.Require(IsFloat(view.dtype(0)), "input type", Name(view.dtype(0)), "must be a float type");
  const Shape& x = view.shape(0);
  const Shape& w = view.shape(1);
  view.Require(x.size() == 4, "input shape", ToText(x), "must be [N,C,H,W]");
  view.Require(w.size() == 4, "weight shape", ToText(w), "must be [OC,C/groups,KH,KW]");
  view.Require(view.dtype(1) == view.dtype(0), "weight type", Name(view.dtype(1)),
               "must be the input's type");
  const int64_t groups = view.Int("groups");
  view.Require(groups >= 1 && x[1] % groups == 0 && w[0] % groups == 0, "groups", StrCat(groups),
               StrCat("must divide the ", x[1], " input and ", w[0], " output channels"));
  view.Require(w[1] == x[1] / groups, "weight shape", ToText(w),
               StrCat("must have ", x[1] / groups, " input channels a group"));
  if (view.Has(2)) {
    view.Require(*view.inputs[2] == TensorType{view.dtype(0), {w[0]}}, "bias",
                 ToText(*view.inputs[2]),
                 StrCat("must be of the input's type and shape [", w[0], "]"));
  }
  const Window window = ReadWindow(view, {w[2], w[3]});
  return {view.dtype(0),
          {x[0], w[0], WindowOutput(view, window, 0, x[2]), WindowOutput(view, window, 1, x[3])}};
}

namespace {

template <typename T>
Tensor Conv2d(const EvalView& view) {
  const Window window = ReadWindow(view, {view.shape(1)[2], view.shape(1)[3]});
  const std::vector<double> sums =
      Convolve<T, T, double>({view.tensor(0).data<T>(), view.shape(0)},
                             {view.tensor(1).data<T>(), view.shape(1)}, window, view.Int("groups"),
                             /*pad_value=*/T{}, view.output.shape);
  const int64_t plane = view.output.shape[2] * view.output.shape[3];
  Tensor result(view.output);
  auto y = result.mutable_data<T>();
  for (size_t i = 0; i < y.size(); ++i) {
    const double bias = view.Has(2) ? view.tensor(2).data<T>()[i / plane % view.shape(1)[0]] : 0.0;
    y[i] = static_cast<T>(sums[i] + bias);
  }
  return result;
}

}  // namespace

Tensor EvalConv2d(const EvalView& view) {
  return view.dtype(0) == DType::kFloat32 ? Conv2d<float>(view) : Conv2d<double>(view);
}

}  // namespace vta::compiler::ops
