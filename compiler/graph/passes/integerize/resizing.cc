// Linear resizing between codes, where a target takes it: one op of codes, which rounds once. What
// it is of may be a function of codes that the model does not quantise. That is quantised so finely
// that the result is off by one code at most; or, where it is bent at 0 by any slopes, resized as
// the sum of the codes before it and of those that are positive, times numbers of each channel.
#include <algorithm>
#include <cmath>

#include "compiler/graph/ops/linear_taps.h"
#include "compiler/graph/passes/integerize/integerizer.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/passes/resized.h"

namespace vta::compiler {

std::optional<Integerizer::ToResize> Integerizer::CodesToResize(ValueId real, double most) {
  if (const auto codes = AsCodes(real))
    return ToResize{{codes->value}, codes->scale, codes->zero_point};
  const Node* const producer = fresh_.Producer(real);
  if (!producer) return std::nullopt;
  const Node node = *producer;  // emitting moves the graph's nodes
  const auto function = ValuesOf(node);
  if (!function) return std::nullopt;
  const std::span<const float> values = function->values.data<float>();
  const double low = std::min(0.0f, std::ranges::min(values)),
               high = std::max(0.0f, std::ranges::max(values));
  const Codes& x = function->x;
  const auto place = [&](double number) {
    return number / x.scale + static_cast<double>(x.zero_point);
  };
  WantedCodes wanted{x.scale, x.zero_point};  // which is exact where the function changes nothing
  if (x.scale > most || place(low) < -128.5 || place(high) > 127.5) {
    wanted.scale = (high - low) / 255;
    if (wanted.scale <= 0 || wanted.scale > most) return std::nullopt;
    wanted.zero_point = static_cast<int64_t>(std::nearbyint(-128 - low / wanted.scale));
  }
  const ValueId made = Lookup(node, wanted);
  if (made == kNone) return std::nullopt;
  return ToResize{{made}, wanted.scale, wanted.zero_point};
}

std::optional<Integerizer::ToResize> Integerizer::BentToResize(ValueId real, double most,
                                                               int64_t sum) {
  const Node* const producer = fresh_.Producer(real);
  if (!producer) return std::nullopt;
  const Node node = *producer;
  const auto function = ValuesOf(node);
  const auto slopes =
      function ? SlopesOf(function->reals.data<float>(), function->values) : std::nullopt;
  if (!slopes) return std::nullopt;
  const Codes& x = function->x;
  double steepest = 0;
  for (const double below : slopes->below)
    steepest = std::max(steepest, std::abs(below / slopes->above));
  // Sums and their bias fit 32 bits, and a slope is off by half a unit at most.
  constexpr double kMostUnit = 1 << 24, kMostSum = 1 << 29;
  const double room = kMostSum / (128.0 * static_cast<double>(sum) * (1 + steepest));
  const double unit = std::exp2(std::floor(std::log2(std::min(room, kMostUnit))));
  if (unit < 1 || x.scale * slopes->above * 255 / unit > most) return std::nullopt;
  const int64_t channels = fresh_.shape(x.value)[1];
  std::vector<int32_t> all, positive;
  for (int64_t c = 0; c < channels; ++c) {
    const double below = slopes->below[slopes->below.size() > 1 ? c : 0];
    all.push_back(static_cast<int32_t>(std::lround(below / slopes->above * unit)));
    positive.push_back(static_cast<int32_t>(unit) - all.back());
  }
  const auto constant = [&](const std::string& name, const std::vector<int32_t>& numbers) {
    return fresh_.AddConstant(name, Tensor::Of<int32_t>({1, channels, 1, 1}, numbers));
  };
  const int64_t zero = std::clamp<int64_t>(x.zero_point, -128, 127);
  const ValueId above = Requant(node.name, x, {x.scale, x.zero_point, zero, 127});
  return ToResize{{x.value, above, constant("factors", all), constant("factors", positive)},
                  x.scale * slopes->above / unit,
                  x.zero_point,
                  static_cast<int64_t>(unit)};
}

ValueId Integerizer::Resized(const Node& quantize, const WantedCodes& target,
                             const std::vector<int64_t>& uses, const PassContext& context) {
  const auto planes = AsResized(rebuild_.old(), quantize.inputs[0], uses);
  if (!planes) return kNone;
  ops::LinearResize resize({planes->scales[0], planes->half_pixel},
                           {planes->scales[1], planes->half_pixel});
  // Mode double rounds to halves first, which are whole numbers then.
  constexpr int64_t kMostWeight = 127;
  if (fresh_.rounding() == isa::Rounding::kDouble && 2 * resize.most_weight() <= kMostWeight)
    resize.factor = 2;
  const double scale = target.scale / planes->factor;
  if (resize.sum() > ops::kMostResizeSum || !std::isfinite(scale) || !(scale > 0)) return kNone;
  const auto is_taken = [&](ValueId codes) {
    return fresh_.Producer(codes) && IsTaken(fresh_, codes, context);
  };
  const auto made_of = [&](const std::optional<ToResize>& x) {
    if (!x || !is_taken(x->inputs[0]) || (x->inputs.size() > 1 && !is_taken(x->inputs[1])))
      return kNone;
    constexpr double kNoise = 1e-6;  // weights are float32
    const bool same = std::abs(x->scale / scale - 1) < kNoise &&
                      x->zero_point == target.zero_point && x->unit == 1;
    Attributes attributes{{"scales", planes->scales},
                          {"half_pixel", int64_t{planes->half_pixel}},
                          {"factor", resize.factor},
                          {"bias", same ? 0 : -x->zero_point * resize.sum() * x->unit}};
    WantedCodes codes = target;
    if (same) codes.zero_point = 0;
    const double ratio = same ? 1 : x->scale / scale;
    SetRequant(attributes, ratio / static_cast<double>(resize.sum()), codes);
    const ValueId made = fresh_.Emit(Op::kResizeI8, quantize.name, x->inputs, attributes);
    return is_taken(made) ? made : kNone;
  };
  // Half of a code before is less than one of the result.
  constexpr double kMostScale = 1.9;
  const ValueId real = rebuild_.Map(planes->of);
  const ValueId made = made_of(CodesToResize(real, kMostScale * scale));
  return made != kNone ? made : made_of(BentToResize(real, kMostScale * scale, resize.sum()));
}

Graph Integerizer::TakeResizing(const PassContext& context) {
  const std::vector<int64_t> uses = rebuild_.old().UseCounts();
  for (const Node& node : rebuild_.old().nodes()) {
    ValueId codes = kNone;
    const DType dtype = rebuild_.old().type(node.output).dtype;
    if (node.op == Op::kQuantize)
      if (const auto target = ReadScale(rebuild_.old(), node, dtype))
        codes = Resized(node, *target, uses, context);
    if (codes != kNone && dtype == DType::kUint8)
      codes = fresh_.Emit(Op::kFlipSign, node.name, {codes}, {});
    if (codes == kNone)
      rebuild_.Copy(node);
    else
      rebuild_.Replace(node, codes);
  }
  return rebuild_.Finish();
}

Graph TakeResizing(const Graph& graph, const PassContext& context) {
  return Integerizer(graph).TakeResizing(context);
}

}  // namespace vta::compiler
