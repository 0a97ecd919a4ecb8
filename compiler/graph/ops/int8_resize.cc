// resize_i8: planes that are enlarged by whole factors, each pixel the weighted sum of the four
// around it. Weights are whole numbers; what they add up to is left to the requantisation.
#include <algorithm>

#include "compiler/graph/ops/int8_common.h"
#include "compiler/graph/ops/linear_taps.h"

namespace vta::compiler::ops {

TensorType InferResizeI8(const OpView& view) {
  CheckRequant(view);
  const Activation x = ReadActivation(view, 0);
  view.Require(x.rank >= 4, "input shape", ToText(view.shape(0)),
               "must be [N,C,H,W] or packed [N/b,C/c,H,W,b,c]");
  const std::vector<int64_t>& scales = view.Ints("scales");
  view.Require(scales.size() == 2 && std::ranges::min(scales) >= 1 &&
                   std::ranges::max(scales) <= kMostUpsampling,
               "attribute scales", ToText(Shape(scales)),
               StrCat("must be two numbers from 1 to ", kMostUpsampling));
  CheckRange(view, "half_pixel", 0, 1);
  constexpr int64_t kMostSum = 1 << 22;  // times a code that is below 2^31
  CheckRange(view, "factor", 1, kMostSum);
  const int64_t sum = LinearResize(view).sum();
  view.Require(sum <= kMostSum, "weights of a pixel", StrCat(sum),
               StrCat("must add up to at most ", kMostSum));
  return {DType::kInt8, WithSizes(x, x.c, x.h * scales[0], x.w * scales[1]).stored()};
}

Tensor EvalResizeI8(const EvalView& view) {
  const LinearResize resize(view);
  const Activation in = ReadActivation(view, 0);
  const Activation out = WithSizes(in, in.c, in.h * resize.height.scale, in.w * resize.width.scale);
  const isa::RequantLane lane = ReadRequant(view);
  const std::vector<int8_t> x = Unpack(view.tensor(0), in);
  const auto place = [](const LinearTaps& axis, int64_t at, int64_t tap, int64_t size) {
    return std::clamp<int64_t>(at / axis.scale + axis.First(at % axis.scale) + tap, 0, size - 1);
  };
  std::vector<int8_t> y;
  for (int64_t plane = 0; plane < in.n * in.c; ++plane)
    for (int64_t oy = 0; oy < out.h; ++oy)
      for (int64_t ox = 0; ox < out.w; ++ox) {
        int64_t sum = 0;
        for (int64_t ty = 0; ty < resize.height.taps(); ++ty)
          for (int64_t tx = 0; tx < resize.width.taps(); ++tx)
            sum += resize.factor * resize.height.Weight(oy % resize.height.scale, ty) *
                   resize.width.Weight(ox % resize.width.scale, tx) *
                   x[(plane * in.h + place(resize.height, oy, ty, in.h)) * in.w +
                     place(resize.width, ox, tx, in.w)];
        y.push_back(
            static_cast<int8_t>(isa::Requant(static_cast<int32_t>(sum), lane, view.rounding)));
      }
  return Pack(y, out);
}

}  // namespace vta::compiler::ops
