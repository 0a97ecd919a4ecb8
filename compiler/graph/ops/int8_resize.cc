// resize_i8: planes that are enlarged by whole factors, each pixel the weighted sum of the four
// around it. Weights are whole numbers; what they add up to is left to the requantisation. Three
// more inputs are a second tensor and a number for each channel by which either one's sums are
// multiplied before they are added: of a tensor and what of it is above its zero point, a function
// that is bent there, resized and rounded once.
#include <algorithm>

#include "compiler/graph/ops/int8_common.h"
#include "compiler/graph/ops/linear_taps.h"

namespace vta::compiler::ops {

TensorType InferResizeI8(const OpView& view) {
  CheckRequant(view);
  const Activation x = ReadActivation(view, 0), enlarged = ReadEnlarged(view);
  CheckRange(view, "half_pixel", 0, 1);
  CheckRange(view, "factor", 1, kMostResizeSum);
  const int64_t sum = LinearResize(view).sum();
  view.Require(sum <= kMostResizeSum, "weights of a pixel", StrCat(sum),
               StrCat("must add up to at most ", kMostResizeSum));
  if (view.Has(1)) {
    constexpr size_t kInputs = 4;
    view.Require(view.inputs.size() == kInputs, "inputs", StrCat(view.inputs.size()),
                 "must be 1, or 4: two tensors and a factor of each for each channel");
    view.Require(*view.inputs[1] == *view.inputs[0], "second input", ToText(*view.inputs[1]),
                 StrCat("must be ", ToText(*view.inputs[0])));
    for (size_t i = 2; i < kInputs; ++i) {
      const TensorType& factors = *view.inputs[i];
      const int64_t channels = factors.shape.size() < 2 ? 0 : factors.shape[1];
      const bool fits = x.rank == 6 ? RoundUp(channels, x.channel_block) == x.c : channels == x.c;
      view.Require(factors == TensorType{DType::kInt32, {1, channels, 1, 1}} && fits,
                   StrCat("input ", i), ToText(factors),
                   StrCat("must be int32, one for each of ", x.c, " channels"));
    }
  }
  return {DType::kInt8, enlarged.stored()};
}

namespace {

/// The sums of a tensor's pixels, as [N,C,H,W].
std::vector<int64_t> SumsOf(const Tensor& tensor, const Activation& in, const Activation& out,
                            const LinearResize& resize) {
  const std::vector<int8_t> x = Unpack(tensor, in);
  const auto place = [](const LinearTaps& axis, int64_t at, int64_t tap, int64_t size) {
    return std::clamp<int64_t>(at / axis.scale + axis.First(at % axis.scale) + tap, 0, size - 1);
  };
  std::vector<int64_t> sums;
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
        sums.push_back(sum);
      }
  return sums;
}

}  // namespace

Tensor EvalResizeI8(const EvalView& view) {
  const LinearResize resize(view);
  const Activation in = ReadActivation(view, 0);
  const Activation out = WithSizes(in, in.c, in.h * resize.height.scale, in.w * resize.width.scale);
  const isa::RequantLane lane = ReadRequant(view);
  std::vector<int64_t> sums = SumsOf(view.tensor(0), in, out, resize);
  if (view.Has(1)) {
    const std::vector<int64_t> others = SumsOf(view.tensor(1), in, out, resize);
    const auto first = view.tensor(2).data<int32_t>(), second = view.tensor(3).data<int32_t>();
    for (size_t i = 0; i < sums.size(); ++i) {
      const size_t c = i / (out.h * out.w) % out.c;
      sums[i] = c < first.size() ? first[c] * sums[i] + second[c] * others[i] : 0;
    }
  }
  std::vector<int8_t> y;
  for (const int64_t sum : sums)
    y.push_back(static_cast<int8_t>(isa::Requant(static_cast<int32_t>(sum), lane, view.rounding)));
  return Pack(y, out);
}

}  // namespace vta::compiler::ops
