// Real-valued pooling over H and W.
#include <algorithm>
#include <limits>

#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {
namespace {

TensorType InferPool(const OpView& view) {
  const Shape& x = view.shape(0);
  view.Require(x.size() == 4, "input shape", ToText(x), "must be [N,C,H,W]");
  const Window window = ReadWindow(view, view.Ints("kernel"));
  for (int axis = 0; axis < 2; ++axis) {
    const int64_t extent = (window.kernel[axis] - 1) * window.dilation[axis] + 1;
    view.Require(std::max(window.pad_begin[axis], window.pad_end[axis]) < extent, "pads",
                 ToText(view.Ints("pads")), "must be smaller than the window");
  }
  return {view.dtype(0),
          {x[0], x[1], WindowOutput(view, window, 0, x[2]), WindowOutput(view, window, 1, x[3])}};
}

/// Calls out(index, begin) for each output with its window, and tap(value) for each input inside
/// it.
template <typename T, typename Begin, typename Tap, typename End>
void ForEachWindow(const EvalView& view, Begin begin, Tap tap, End end) {
  const Window win = ReadWindow(view, view.Ints("kernel"));
  const Shape& in = view.shape(0);
  const Shape& out = view.output.shape;
  auto x = view.tensor(0).data<T>();
  for (int64_t plane = 0; plane < in[0] * in[1]; ++plane)
    for (int64_t oy = 0; oy < out[2]; ++oy)
      for (int64_t ox = 0; ox < out[3]; ++ox) {
        begin();
        for (int64_t ky = 0; ky < win.kernel[0]; ++ky)
          for (int64_t kx = 0; kx < win.kernel[1]; ++kx) {
            const int64_t iy = oy * win.stride[0] + ky * win.dilation[0] - win.pad_begin[0];
            const int64_t ix = ox * win.stride[1] + kx * win.dilation[1] - win.pad_begin[1];
            if (iy < 0 || iy >= in[2] || ix < 0 || ix >= in[3]) continue;
            tap(x[(plane * in[2] + iy) * in[3] + ix]);
          }
        end((plane * out[2] + oy) * out[3] + ox);
      }
}

}  // namespace

TensorType InferMaxPool(const OpView& view) {
  view.Require(view.dtype(0) != DType::kBool, "input type", "bool", "must be a number type");
  return InferPool(view);
}

Tensor EvalMaxPool(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    Tensor result(view.output);
    auto y = result.mutable_data<T>();
    T most{};
    ForEachWindow<T>(
        view, [&] { most = std::numeric_limits<T>::lowest(); },
        [&](T v) { most = std::max(most, v); }, [&](int64_t i) { y[i] = most; });
    return result;
  });
}

TensorType InferAvgPool(const OpView& view) {
  view.Require(IsFloat(view.dtype(0)), "input type", Name(view.dtype(0)), "must be a float type");
  return InferPool(view);
}

Tensor EvalAvgPool(const EvalView& view) {
  return DispatchDType(view.output.dtype, [&](auto zero) {
    using T = decltype(zero);
    Tensor result(view.output);
    auto y = result.mutable_data<T>();
    const bool include_pad = view.Int("count_include_pad") != 0;
    const std::vector<int64_t>& kernel = view.Ints("kernel");
    double sum = 0;
    int64_t count = 0;
    ForEachWindow<T>(
        view, [&] { sum = 0, count = 0; }, [&](T v) { sum += v, ++count; },
        [&](int64_t i) {
          y[i] = static_cast<T>(sum / (include_pad ? kernel[0] * kernel[1] : count));
        });
    return result;
  });
}

}  // namespace vta::compiler::ops
