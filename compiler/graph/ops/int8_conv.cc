// Integer convolution and dense layer: int8 x int8 or int16 -> int32, bias, requantisation per
// output channel. The bias already holds -x_zero_point * sum(w), so padding reads pad_value =
// x_zero_point.
#include "compiler/graph/ops/convolve.h"
#include "compiler/graph/ops/int8_common.h"
#include "isa/support/plural.h"

namespace vta::compiler::ops {
namespace {

/// Checks w's type, and bias, multiplier and exponent: int32, one for each output channel.
void CheckWeights(const OpView& view) {
  view.Require(IsWeightType(view.dtype(1)), "weight type", Name(view.dtype(1)),
               "must be int8 or int16");
  const TensorType wanted{DType::kInt32, {view.shape(1).empty() ? 0 : view.shape(1)[0]}};
  constexpr std::string_view kNames[] = {"bias", "multiplier", "exponent"};
  for (int i = 0; i < 3; ++i)
    view.Require(*view.inputs[2 + i] == wanted, kNames[i], ToText(*view.inputs[2 + i]),
                 StrCat("must be ", ToText(wanted)));
  CheckRequant(view);
}

/// The int8 results of NCHW sums whose channels are w's; further channels of `out` get 0.
Tensor RequantChannels(const EvalView& view, const std::vector<uint32_t>& sums, int64_t channels,
                       const Activation& out) {
  auto bias = view.tensor(2).data<int32_t>(), multiplier = view.tensor(3).data<int32_t>();
  auto exponent = view.tensor(4).data<int32_t>();
  std::vector<int8_t> y(Elements(out.nchw()));
  const int64_t plane = out.h * out.w;
  isa::RequantLane lane = ReadRequant(view);
  for (size_t i = 0; i < sums.size(); ++i) {
    const int64_t c = static_cast<int64_t>(i) / plane % channels;
    const int64_t n = static_cast<int64_t>(i) / plane / channels;
    lane.bias = bias[c];
    lane.multiplier = multiplier[c];
    lane.exponent = static_cast<int8_t>(exponent[c]);
    y[(n * out.c + c) * plane + i % plane] =
        static_cast<int8_t>(isa::Requant(static_cast<int32_t>(sums[i]), lane, view.rounding));
  }
  return Pack(y, out);
}

/// The first `channels` channels of an NCHW tensor.
std::vector<int8_t> FirstChannels(const std::vector<int8_t>& nchw, const Activation& a,
                                  int64_t channels) {
  std::vector<int8_t> out;
  const int64_t plane = a.h * a.w;
  for (int64_t n = 0; n < a.n; ++n)
    out.insert(out.end(), &nchw[n * a.c * plane], &nchw[n * a.c * plane] + channels * plane);
  return out;
}

}  // namespace

TensorType InferConv2dI8(const OpView& view) {
  const Activation x = ReadActivation(view, 0);
  const Shape& w = view.shape(1);
  view.Require(x.rank >= 4, "input shape", ToText(view.shape(0)),
               "must be [N,C,H,W] or packed [N/b,C/c,H,W,b,c]");
  view.Require(w.size() == 4, "weight shape", ToText(w), "must be [OC,C/groups,KH,KW]");
  CheckWeights(view);
  const int64_t groups = CheckRange(view, "groups", 1, w[0]);
  view.Require(w[0] % groups == 0, "groups", StrCat(groups),
               StrCat("must divide the ", w[0], " output channels"));
  view.Require(
      RoundUp(w[1] * groups, x.channel_block) == x.c, "weight shape", ToText(w),
      StrCat("times ", Counted(groups, "group"), " must be the input's ", Counted(x.c, "channel")));
  CheckRange(view, "pad_value", -128, 127);
  const Window window = ReadWindow(view, {w[2], w[3]});
  return {DType::kInt8,
          WithSizes(x, w[0], WindowOutput(view, window, 0, x.h), WindowOutput(view, window, 1, x.w))
              .stored()};
}

Tensor EvalConv2dI8(const EvalView& view) {
  const Activation x = ReadActivation(view, 0);
  const Shape& w = view.shape(1);
  const Window window = ReadWindow(view, {w[2], w[3]});
  const int64_t groups = view.Int("groups"), channels = w[1] * groups;
  const Activation out =
      WithSizes(x, w[0], WindowOutput(view, window, 0, x.h), WindowOutput(view, window, 1, x.w));
  const std::vector<int8_t> input = FirstChannels(Unpack(view.tensor(0), x), x, channels);
  const std::vector<int16_t> weights = WeightCodes(view.tensor(1));
  const auto sums = Convolve<int8_t, int16_t, uint32_t>(
      {input, {x.n, channels, x.h, x.w}}, {weights, w}, window, groups,
      static_cast<int8_t>(view.Int("pad_value")), {x.n, w[0], out.h, out.w});
  return RequantChannels(view, sums, w[0], out);
}

TensorType InferDenseI8(const OpView& view) {
  const Activation x = ReadActivation(view, 0);
  const Shape& w = view.shape(1);
  view.Require(x.rank != 4 && x.h == 1 && x.w == 1, "input shape", ToText(view.shape(0)),
               "must be [N,K] or packed [N/b,K/c,1,1,b,c]");
  view.Require(w.size() == 2, "weight shape", ToText(w), "must be [OC,K]");
  CheckWeights(view);
  view.Require(RoundUp(w[1], x.channel_block) == x.c, "weight shape", ToText(w),
               StrCat("must have the input's ", Counted(x.c, "channel")));
  return {DType::kInt8, WithSizes(x, w[0], 1, 1).stored()};
}

Tensor EvalDenseI8(const EvalView& view) {
  const Activation x = ReadActivation(view, 0);
  const int64_t outputs = view.shape(1)[0], depth = view.shape(1)[1];
  const std::vector<int8_t> input = Unpack(view.tensor(0), x);
  const std::vector<int16_t> w = WeightCodes(view.tensor(1));
  std::vector<uint32_t> sums(x.n * outputs);
  for (int64_t n = 0; n < x.n; ++n)
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t k = 0; k < depth; ++k)
        sums[n * outputs + o] += static_cast<uint32_t>(input[n * x.c + k] * w[o * depth + k]);
  return RequantChannels(view, sums, outputs, WithSizes(x, outputs, 1, 1));
}

}  // namespace vta::compiler::ops
