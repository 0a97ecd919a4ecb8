// Integer ops of planes: pooling, and upsample_i8, which repeats each pixel. max_pool_i8 pads with
// -128; avg_pool_i8 sums the window (padding reads pad_value) and leaves the division to its
// requantisation, or, where that could meet a tie, divides exactly. Five more inputs are the bias,
// multiplier, exponent, factor and divisor of each place of a plane, in place of the attributes:
// those of windows that are divided by less, for their pads.
#include <algorithm>

#include "compiler/graph/ops/int8_common.h"

namespace vta::compiler::ops {
namespace {

Activation PoolOutput(const OpView& view, const Window& window) {
  const Activation x = ReadActivation(view, 0);
  view.Require(x.rank >= 4, "input shape", ToText(view.shape(0)),
               "must be [N,C,H,W] or packed [N/b,C/c,H,W,b,c]");
  return WithSizes(x, x.c, WindowOutput(view, window, 0, x.h), WindowOutput(view, window, 1, x.w));
}

/// The whole number nearest to dividend / divisor; of two the even one.
int64_t DivideToEven(int64_t dividend, int64_t divisor) {
  const int64_t twice = 2 * dividend + divisor, by = 2 * divisor;
  const int64_t up = twice / by - (twice % by < 0 ? 1 : 0);
  return twice % by == 0 && up % 2 != 0 ? up - 1 : up;
}

/// Reduces each window with combine(accumulator, code), starting from `first`, then finish(it,
/// place).
template <typename Combine, typename Finish>
Tensor Pool(const EvalView& view, int32_t first, int32_t pad_value, Combine combine,
            Finish finish) {
  const Window win = ReadWindow(view, view.Ints("kernel"));
  const Activation in = ReadActivation(view, 0), out = PoolOutput(view, win);
  const std::vector<int8_t> x = Unpack(view.tensor(0), in);
  std::vector<int8_t> y;
  for (int64_t plane = 0; plane < in.n * in.c; ++plane)
    for (int64_t oy = 0; oy < out.h; ++oy)
      for (int64_t ox = 0; ox < out.w; ++ox) {
        int32_t sum = first;
        for (int64_t ky = 0; ky < win.kernel[0]; ++ky)
          for (int64_t kx = 0; kx < win.kernel[1]; ++kx) {
            const int64_t iy = oy * win.stride[0] + ky - win.pad_begin[0];
            const int64_t ix = ox * win.stride[1] + kx - win.pad_begin[1];
            const bool inside = iy >= 0 && iy < in.h && ix >= 0 && ix < in.w;
            sum = combine(sum, inside ? x[(plane * in.h + iy) * in.w + ix] : pad_value);
          }
        y.push_back(static_cast<int8_t>(finish(sum, oy * out.w + ox)));
      }
  return Pack(y, out);
}

}  // namespace

TensorType InferMaxPoolI8(const OpView& view) {
  return {DType::kInt8, PoolOutput(view, ReadWindow(view, view.Ints("kernel"))).stored()};
}

Tensor EvalMaxPoolI8(const EvalView& view) {
  return Pool(
      view, -128, -128, [](int32_t a, int32_t b) { return std::max(a, b); },
      [](int32_t most, int64_t) { return most; });
}

TensorType InferUpsampleI8(const OpView& view) {
  return {DType::kInt8, ReadEnlarged(view).stored()};
}

Tensor EvalUpsampleI8(const EvalView& view) {
  const Activation in = ReadActivation(view, 0);
  const std::vector<int64_t>& scales = view.Ints("scales");
  const Activation out = WithSizes(in, in.c, in.h * scales[0], in.w * scales[1]);
  const std::vector<int8_t> x = Unpack(view.tensor(0), in);
  std::vector<int8_t> y;
  for (int64_t plane = 0; plane < in.n * in.c; ++plane)
    for (int64_t oy = 0; oy < out.h; ++oy)
      for (int64_t ox = 0; ox < out.w; ++ox)
        y.push_back(x[(plane * in.h + oy / scales[0]) * in.w + ox / scales[1]]);
  return Pack(y, out);
}

TensorType InferAvgPoolI8(const OpView& view) {
  CheckRequant(view);
  CheckRange(view, "pad_value", -128, 127);
  CheckRange(view, "divisor", 0, kMostDivisor);
  CheckRange(view, "factor", view.Int("divisor") == 0 ? 0 : 1, kMostFactor);
  const Activation y = PoolOutput(view, ReadWindow(view, view.Ints("kernel")));
  if (view.Has(1)) {
    constexpr size_t kInputs = 6;
    const TensorType places{DType::kInt32, {y.h * y.w}};
    view.Require(view.inputs.size() == kInputs, "inputs", StrCat(view.inputs.size()),
                 "must be 1, or 6 with a bias, multiplier, exponent, factor and divisor for each "
                 "place");
    for (size_t i = 1; i < kInputs; ++i)
      view.Require(*view.inputs[i] == places, StrCat("input ", i), ToText(*view.inputs[i]),
                   StrCat("must be ", ToText(places), ", a number for each place"));
  }
  return {DType::kInt8, y.stored()};
}

Tensor EvalAvgPoolI8(const EvalView& view) {
  isa::RequantLane lane = ReadRequant(view);
  const int64_t divisor = view.Int("divisor");  // 0: of no place
  int64_t factor = view.Int("factor");
  return Pool(view, 0, static_cast<int32_t>(view.Int("pad_value")), isa::WrapAdd,
              [&](int32_t sum, int64_t place) -> int64_t {
                int64_t of_place = divisor;
                if (view.Has(1)) {
                  lane.bias = view.tensor(1).data<int32_t>()[place];
                  lane.multiplier = view.tensor(2).data<int32_t>()[place];
                  lane.exponent = static_cast<int8_t>(view.tensor(3).data<int32_t>()[place]);
                  factor = view.tensor(4).data<int32_t>()[place];
                  if (divisor != 0) of_place = view.tensor(5).data<int32_t>()[place];
                }
                if (of_place <= 0) return isa::Requant(sum, lane, view.rounding);
                const int64_t quotient =
                    DivideToEven(isa::WrapAdd(sum, lane.bias) * factor, of_place);
                return std::clamp<int64_t>(quotient + lane.zero_point, lane.low, lane.high);
              });
}

}  // namespace vta::compiler::ops
