// Convolutions and pooling over plain NCHW tensors, real-valued and integer.
#include <limits>

#include "compiler/graph/ops/int8_common.h"
#include "compiler/operators/lowering.h"

namespace vta::compiler::operators {
namespace {

using loop::DType::kFloat32;
using loop::DType::kInt32;

Expr Widened(const Expr& e) { return Cast(kInt32, e); }

te::Tensor Padded(const Lowering& l, const ops::Window& w, const Expr& value) {
  return te::Pad("padded", l.x(), {0, 0, w.pad_begin[0], w.pad_begin[1]},
                 {0, 0, w.pad_end[0], w.pad_end[1]}, value);
}

// The element of the padded input that output (oy, ox) sees at tap (ky, kx).
Expr At(const te::Tensor& padded, const ops::Window& w, const Expr& n, const Expr& c,
        const Expr& oy, const Expr& ox, const Expr& ky, const Expr& kx) {
  return padded(n, c, oy * w.stride[0] + ky * w.dilation[0], ox * w.stride[1] + kx * w.dilation[1]);
}

// The sums of a convolution, both operands widened to `accumulator` first.
te::Tensor Convolve(const Lowering& l, loop::DType accumulator, const Expr& pad_value,
                    const std::string& name) {
  const Shape& weights = l.shape(1);
  const ops::Window w = ops::ReadWindow(l, {weights[2], weights[3]});
  const int64_t per_group = weights[0] / l.Int("groups");
  const te::Tensor padded = Padded(l, w, pad_value);
  const te::ReduceAxis c("c", weights[1]), ky("ky", weights[2]), kx("kx", weights[3]);
  return te::Compute(name, l.OutputAxes(), [&](Expr n, Expr oc, Expr oy, Expr ox) {
    const Expr ic = FloorDiv(oc, Expr(per_group)) * weights[1] + c;
    return te::ReduceSum(Cast(accumulator, At(padded, w, n, ic, oy, ox, ky, kx)) *
                             Cast(accumulator, l.x(1)(oc, c, ky, kx)),
                         {c, ky, kx});
  });
}

// How many of a window's taps along one axis lie inside the input.
Expr Inside(const ops::Window& w, int axis, const Expr& out, int64_t size) {
  const Expr first = out * w.stride[axis] - w.pad_begin[axis];
  return Min(first + w.kernel[axis], Expr(size)) - Max(first, Expr(0));
}

}  // namespace

Expr CountOfWindow(const Lowering& l, const Expr& oy, const Expr& ox) {
  const ops::Window w = ops::ReadWindow(l, l.Ints("kernel"));
  if (l.Int("count_include_pad") != 0) return w.kernel[0] * w.kernel[1];
  return Inside(w, 0, oy, l.shape(0)[2]) * Inside(w, 1, ox, l.shape(0)[3]);
}

te::Tensor LowerConv2d(const Lowering& l) {
  const te::Tensor sums = Convolve(l, kFloat32, loop::FloatConst(0), l.Has(2) ? "sums" : "y");
  if (!l.Has(2)) return sums;
  return te::Compute("y", l.OutputAxes(),
                     [&](Expr n, Expr c, Expr h, Expr w) { return sums(n, c, h, w) + l.x(2)(c); });
}

te::Tensor LowerIm2Col(const Lowering& l) {
  const ops::Window w = ops::ReadWindow(l, l.Ints("kernel"));
  const Shape& in = l.shape(0);
  const Expr pad = loop::IntConst(loop::DType::kInt8, l.Int("pad_value"));
  // Lines with their pads, channels side by side: the taps of a window's row then lie one after the
  // other. What is read for a pad is the nearest code, so that no read needs a guard.
  const te::Tensor lines =
      te::Compute("lines",
                  {{"n", in[0]},
                   {"h", in[2] + w.pad_begin[0] + w.pad_end[0]},
                   {"w", in[3] + w.pad_begin[1] + w.pad_end[1]},
                   {"c", in[1]}},
                  [&](Expr n, Expr h, Expr x, Expr c) {
                    const Expr row = h - w.pad_begin[0], column = x - w.pad_begin[1];
                    const Expr inside = row >= 0 && row < in[2] && column >= 0 && column < in[3];
                    return Select(inside,
                                  l.x()(n, c, Min(Max(row, Expr(0)), Expr(in[2] - 1)),
                                        Min(Max(column, Expr(0)), Expr(in[3] - 1))),
                                  pad);
                  });
  return te::Compute("y", l.OutputAxes(), [&](Expr n, Expr channel, Expr oy, Expr ox) {
    const Expr channels(in[1]), row(w.kernel[1] * in[1]), in_row = FloorMod(channel, row);
    return lines(n, oy * w.stride[0] + FloorDiv(channel, row) * w.dilation[0],
                 ox * w.stride[1] + FloorDiv(in_row, channels) * w.dilation[1],
                 FloorMod(in_row, channels));
  });
}

te::Tensor LowerConv2dI8(const Lowering& l) {
  l.Require(l.shape(0).size() == 4, "input shape", ToText(l.shape(0)), "must be [N,C,H,W]");
  const te::Tensor sums =
      Convolve(l, kInt32, loop::IntConst(loop::DType::kInt8, l.Int("pad_value")), "sums");
  return te::Compute("y", l.OutputAxes(), [&](Expr n, Expr c, Expr h, Expr w) {
    return RequantChannel(l, sums(n, c, h, w), c);
  });
}

te::Tensor LowerMaxPool(const Lowering& l) {
  const ops::Window w = ops::ReadWindow(l, l.Ints("kernel"));
  // A window wholly in the padding gives the least finite number.
  const bool real = l.x().dtype() == kFloat32;
  const te::Tensor padded = Padded(
      l, w,
      real ? loop::FloatConst(std::numeric_limits<float>::lowest()) : loop::LeastOf(l.x().dtype()));
  const te::ReduceAxis ky("ky", w.kernel[0]), kx("kx", w.kernel[1]);
  return te::Compute("y", l.OutputAxes(), [&](Expr n, Expr c, Expr oy, Expr ox) {
    return te::ReduceMax(At(padded, w, n, c, oy, ox, ky, kx), {ky, kx});
  });
}

te::Tensor LowerMaxPoolI8(const Lowering& l) {
  l.Require(l.shape(0).size() == 4, "input shape", ToText(l.shape(0)), "must be [N,C,H,W]");
  return LowerMaxPool(l);
}

te::Tensor LowerAvgPool(const Lowering& l) {
  const ops::Window w = ops::ReadWindow(l, l.Ints("kernel"));
  const te::Tensor padded = Padded(l, w, loop::FloatConst(0));
  const te::ReduceAxis ky("ky", w.kernel[0]), kx("kx", w.kernel[1]);
  const te::Tensor sums =
      te::Compute("sums", l.OutputAxes(), [&](Expr n, Expr c, Expr oy, Expr ox) {
        return te::ReduceSum(At(padded, w, n, c, oy, ox, ky, kx), {ky, kx});
      });
  return te::Compute("y", l.OutputAxes(), [&](Expr n, Expr c, Expr oy, Expr ox) {
    return sums(n, c, oy, ox) / Cast(kFloat32, CountOfWindow(l, oy, ox));
  });
}

te::Tensor LowerAvgPoolI8(const Lowering& l) {
  l.Require(l.shape(0).size() == 4, "input shape", ToText(l.shape(0)), "must be [N,C,H,W]");
  const ops::Window w = ops::ReadWindow(l, l.Ints("kernel"));
  const te::Tensor padded = Padded(l, w, loop::IntConst(loop::DType::kInt8, l.Int("pad_value")));
  const te::ReduceAxis ky("ky", w.kernel[0]), kx("kx", w.kernel[1]);
  const te::Tensor sums =
      te::Compute("sums", l.OutputAxes(), [&](Expr n, Expr c, Expr oy, Expr ox) {
        return te::ReduceSum(Widened(At(padded, w, n, c, oy, ox, ky, kx)), {ky, kx});
      });
  return te::Compute("y", l.OutputAxes(), [&](Expr n, Expr c, Expr oy, Expr ox) {
    return AverageCode(l, sums(n, c, oy, ox), oy, ox);
  });
}

}  // namespace vta::compiler::operators
