// im2col: the taps of a window over int8 codes as channels, [N,C,H,W] -> [N,KH*KW*C,OH,OW]. Padding
// reads pad_value.
#include "compiler/graph/ops/int8_common.h"

namespace vta::compiler::ops {

TensorType InferIm2Col(const OpView& view) {
  const Activation x = ReadActivation(view, 0);
  view.Require(x.rank == 4, "input shape", ToText(view.shape(0)), "must be [N,C,H,W]");
  CheckRange(view, "pad_value", -128, 127);
  const Window window = ReadWindow(view, view.Ints("kernel"));
  const auto channels = CheckedElements({window.kernel[0], window.kernel[1], x.c});
  view.Require(channels.has_value(), "kernel", ToText(view.Ints("kernel")),
               "times the channels must be at most 2^40");
  return {DType::kInt8,
          {x.n, *channels, WindowOutput(view, window, 0, x.h), WindowOutput(view, window, 1, x.w)}};
}

Tensor EvalIm2Col(const EvalView& view) {
  const Window w = ReadWindow(view, view.Ints("kernel"));
  const Shape &in = view.shape(0), &out = view.output.shape;
  const auto x = view.tensor(0).data<int8_t>();
  const auto pad = static_cast<int8_t>(view.Int("pad_value"));
  Tensor result(view.output);
  auto y = result.mutable_data<int8_t>();
  for (int64_t i = 0; i < static_cast<int64_t>(y.size()); ++i) {
    const int64_t ox = i % out[3], oy = i / out[3] % out[2];
    const int64_t channel = i / out[3] / out[2] % out[1], n = i / out[3] / out[2] / out[1];
    const int64_t c = channel % in[1], tap = channel / in[1];
    const int64_t iy = oy * w.stride[0] + tap / w.kernel[1] * w.dilation[0] - w.pad_begin[0];
    const int64_t ix = ox * w.stride[1] + tap % w.kernel[1] * w.dilation[1] - w.pad_begin[1];
    const bool inside = iy >= 0 && iy < in[2] && ix >= 0 && ix < in[3];
    y[i] = inside ? x[((n * in[1] + c) * in[2] + iy) * in[3] + ix] : pad;
  }
  return result;
}

}  // namespace vta::compiler::ops
