#include "compiler/graph/ops/int8_common.h"

#include <algorithm>
#include <limits>

namespace vta::compiler::ops {

int64_t RoundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

Shape Activation::stored() const {
  if (rank == 2) return {n, c};
  if (rank == 4) return {n, c, h, w};
  return {n / batch_block, c / channel_block, h, w, batch_block, channel_block};
}

Activation ReadActivation(const OpView& view, int64_t input) {
  const TensorType& type = *view.inputs[input];
  const Shape& s = type.shape;
  view.Require(type.dtype == DType::kInt8, "input type", Name(type.dtype), "must be int8");
  if (s.size() == 2) return {s[0], s[1], 1, 1, 2};
  if (s.size() == 4) return {s[0], s[1], s[2], s[3], 4};
  view.Require(s.size() == 6, "input shape", ToText(s),
               "must be [N,C], [N,C,H,W] or packed [N/b,C/c,H,W,b,c]");
  return {s[0] * s[4], s[1] * s[5], s[2], s[3], 6, s[4], s[5]};
}

Activation WithSizes(const Activation& like, int64_t c, int64_t h, int64_t w) {
  Activation out = like;
  out.c = RoundUp(c, like.channel_block);
  out.h = h;
  out.w = w;
  return out;
}

namespace {

/// Calls visit(nchw index, stored index) for every element.
template <typename F>
void ForEachElement(const Activation& a, F visit) {
  int64_t nchw = 0;
  for (int64_t n = 0; n < a.n; ++n)
    for (int64_t c = 0; c < a.c; ++c)
      for (int64_t h = 0; h < a.h; ++h)
        for (int64_t w = 0; w < a.w; ++w) {
          int64_t at = n / a.batch_block;
          at = at * (a.c / a.channel_block) + c / a.channel_block;
          at = (at * a.h + h) * a.w + w;
          at = at * a.batch_block + n % a.batch_block;
          at = at * a.channel_block + c % a.channel_block;
          visit(nchw++, at);
        }
}

}  // namespace

Activation ReadEnlarged(const OpView& view) {
  const Activation x = ReadActivation(view, 0);
  view.Require(x.rank >= 4, "input shape", ToText(view.shape(0)),
               "must be [N,C,H,W] or packed [N/b,C/c,H,W,b,c]");
  const std::vector<int64_t>& scales = view.Ints("scales");
  view.Require(scales.size() == 2 && std::ranges::min(scales) >= 1 &&
                   std::ranges::max(scales) <= kMostUpsampling,
               "attribute scales", ToText(Shape(scales)),
               StrCat("must be two numbers from 1 to ", kMostUpsampling));
  return WithSizes(x, x.c, x.h * scales[0], x.w * scales[1]);
}

std::vector<int8_t> Unpack(const Tensor& tensor, const Activation& activation) {
  auto data = tensor.data<int8_t>();
  if (activation.rank != 6) return {data.begin(), data.end()};
  std::vector<int8_t> nchw(data.size());
  ForEachElement(activation, [&](int64_t to, int64_t from) { nchw[to] = data[from]; });
  return nchw;
}

Tensor Pack(const std::vector<int8_t>& nchw, const Activation& activation) {
  if (activation.rank != 6) return Tensor::Of(activation.stored(), nchw);
  Tensor result(TensorType{DType::kInt8, activation.stored()});
  auto data = result.mutable_data<int8_t>();
  ForEachElement(activation, [&](int64_t from, int64_t to) { data[to] = nchw[from]; });
  return result;
}

bool IsWeightType(DType dtype) { return dtype == DType::kInt8 || dtype == DType::kInt16; }

std::vector<int16_t> WeightCodes(const Tensor& weights) {
  const auto widened = [](auto codes) { return std::vector<int16_t>(codes.begin(), codes.end()); };
  return weights.dtype() == DType::kInt8 ? widened(weights.data<int8_t>())
                                         : widened(weights.data<int16_t>());
}

int64_t CheckRange(const OpView& view, std::string_view name, int64_t low, int64_t high) {
  const int64_t value = view.Int(name);
  view.Require(value >= low && value <= high, StrCat("attribute ", name), StrCat(value),
               StrCat("must be in [", low, ", ", high, "]"));
  return value;
}

void CheckRequant(const OpView& view) {
  using I32 = std::numeric_limits<int32_t>;
  const Attributes& attributes = view.node.attributes;
  CheckRange(view, "zero_point", -128, 127);
  CheckRange(view, "low", -128, 127);
  CheckRange(view, "high", view.Int("low"), 127);
  if (attributes.Has("bias")) CheckRange(view, "bias", I32::min(), I32::max());
  if (attributes.Has("multiplier")) CheckRange(view, "multiplier", 0, I32::max());
  if (attributes.Has("exponent")) CheckRange(view, "exponent", -31, 30);
}

isa::RequantLane ReadRequant(const OpView& view) {
  const Attributes& attributes = view.node.attributes;
  isa::RequantLane lane;
  lane.zero_point = static_cast<int8_t>(view.Int("zero_point"));
  lane.low = static_cast<int8_t>(view.Int("low"));
  lane.high = static_cast<int8_t>(view.Int("high"));
  if (attributes.Has("bias")) lane.bias = static_cast<int32_t>(view.Int("bias"));
  if (attributes.Has("multiplier")) lane.multiplier = static_cast<int32_t>(view.Int("multiplier"));
  if (attributes.Has("exponent")) lane.exponent = static_cast<int8_t>(view.Int("exponent"));
  return lane;
}

}  // namespace vta::compiler::ops
