// Integerize: requantisation, add, mul, average pooling, concat.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "compiler/graph/ops/int8_common.h"
#include "compiler/graph/passes/integerize/integerizer.h"
#include "compiler/quantize/code_sum.h"
#include "compiler/quantize/scale_ratio.h"

namespace vta::compiler {

ValueId Integerizer::Requant(const std::string& name, const Codes& x, const WantedCodes& target) {
  const bool same = x.scale == target.scale && x.zero_point == target.zero_point;
  if (same && target.low == -128 && target.high == 127) return x.value;
  Attributes attributes{{"bias", -x.zero_point}};
  SetRequant(attributes, x.scale / target.scale, target);
  return fresh_.Emit(Op::kRequantI8, name, {x.value}, attributes);
}

namespace {

bool IsConstant(const Graph& graph, ValueId real) {
  const Node* producer = graph.Producer(real);
  return producer && producer->op == Op::kDequantize && graph.constant(producer->inputs[0]);
}

}  // namespace

/// Sums and differences. Mode double has the arithmetic of TFLite's kernels, for sums. Mode single
/// adds as if real numbers were rounded once; a constant, which moves all sums by the same, may put
/// every one of them next to the border between two codes, where only the float32 arithmetic of the
/// model's own operators says which: they stay.
ValueId Integerizer::Add(const Node& node, const WantedCodes& target) {
  const auto a = AsCodes(node.inputs[0]);
  auto b = AsCodes(node.inputs[1]);
  if (!a || !b) return kNone;
  const bool difference = node.op == Op::kSub;
  if (fresh_.rounding() == isa::Rounding::kDouble)
    return difference ? kNone : AddDouble(node, *a, *b, target);
  if (IsConstant(fresh_, node.inputs[0]) || IsConstant(fresh_, node.inputs[1])) return kNone;
  if (difference) b->scale = -b->scale;
  return EmitSum(node.name, *a, *b, target);
}

ValueId Integerizer::EmitSum(const std::string& name, const Codes& a, const Codes& b,
                             const WantedCodes& target) {
  constexpr int64_t kMostMultiplier = (1 << 13) - 1;
  constexpr double kMostDistance = 255, kMostOff = 0.5;  // of a code and its zero point; in codes
  const SmallRatio ratio = NearestRatio(std::abs(a.scale), std::abs(b.scale), kMostMultiplier);
  const double off = std::max(std::abs(ratio.unit * ratio.a - std::abs(a.scale)),
                              std::abs(ratio.unit * ratio.b - std::abs(b.scale)));
  if (off * kMostDistance > kMostOff * target.scale) return kNone;
  const int64_t of_a = a.scale < 0 ? -ratio.a : ratio.a, of_b = b.scale < 0 ? -ratio.b : ratio.b;
  Attributes attributes{{"multiplier_a", of_a},
                        {"multiplier_b", of_b},
                        {"bias", -(of_a * a.zero_point + of_b * b.zero_point)}};
  SetRequant(attributes, ratio.unit / target.scale, target);
  return fresh_.Emit(Op::kAddI8, name, {a.value, b.value}, attributes);
}

/// With the arithmetic of TFLite's kernels: by multiples of the codes where some give the same,
/// otherwise by tables.
ValueId Integerizer::AddDouble(const Node& node, const Codes& a, const Codes& b,
                               const WantedCodes& target) {
  const CodeScale of_a{a.scale, a.zero_point}, of_b{b.scale, b.zero_point},
      result{target.scale, target.zero_point};
  const CodeSum sum(of_a, of_b, result);
  const std::optional<MultipleSum> multiples = AsMultiples(sum, of_a, of_b, result);
  const isa::RequantLane& lane = multiples ? multiples->lane : sum.lane;
  Attributes attributes{{"multiplier", int64_t{lane.multiplier}},
                        {"exponent", int64_t{lane.exponent}}};
  SetRange(attributes, target);
  if (!multiples) {
    auto table = [&](const std::array<int32_t, 256>& values) {
      return fresh_.AddConstant("sum", Tensor::Of<int32_t>({256}, {values.begin(), values.end()}));
    };
    const ValueId of_codes_a = table(sum.a), of_codes_b = table(sum.b);
    return fresh_.Emit(Op::kAddLookupI8, node.name, {a.value, b.value, of_codes_a, of_codes_b},
                       attributes);
  }
  attributes.Set("multiplier_a", multiples->a);
  attributes.Set("multiplier_b", multiples->b);
  attributes.Set("bias", int64_t{lane.bias});
  return fresh_.Emit(Op::kAddI8, node.name, {a.value, b.value}, attributes);
}

ValueId Integerizer::Mul(const Node& node, const WantedCodes& target) {
  const auto a = AsCodes(node.inputs[0]), b = AsCodes(node.inputs[1]);
  if (!a || !b) return kNone;
  Attributes attributes{{"zero_a", a->zero_point}, {"zero_b", b->zero_point}};
  SetRequant(attributes, a->scale * b->scale / target.scale, target);
  return fresh_.Emit(Op::kMulI8, node.name, {a->value, b->value}, attributes);
}

namespace {

constexpr int64_t kMostTaps = int64_t{1} << 22;  // their sum fits 31 bits

/// The average of codes that keep their scale and zero point: TFLite's kernels divide the sum of
/// the codes themselves, ties away from zero. A multiplier a little above 1 / taps moves ties that
/// way and nothing else.
void SetDivision(int64_t taps, Attributes* attributes) {
  attributes->Set("multiplier", static_cast<int64_t>(0x1p31 / static_cast<double>(taps)) + 1);
  attributes->Set("exponent", int64_t{0});
  attributes->Set("bias", int64_t{0});
  attributes->Set("zero_point", int64_t{0});
}

/// How an average that may lie on a tie between two codes is divided exactly; otherwise factor and
/// divisor are 0. Ties want an even divisor: the scales have a small ratio, or are the same.
void SetQuotient(int64_t taps, const std::optional<ScaleRatio>& ratio, isa::Rounding rounding,
                 Attributes* attributes) {
  int64_t factor = 0, divisor = 0;
  if (ratio && rounding == isa::Rounding::kSingle && ratio->of_y <= ops::kMostDivisor / taps) {
    const int64_t common = std::gcd(ratio->of_x, taps * ratio->of_y);
    factor = ratio->of_x / common, divisor = taps * ratio->of_y / common;
    constexpr int64_t kFarthest = 255;  // a code from the zero point
    if (divisor % 2 != 0 || factor > ops::kMostFactor / (kFarthest * taps)) factor = divisor = 0;
  }
  attributes->Set("factor", factor);
  attributes->Set("divisor", divisor);
}

/// The factor of a mean over `taps` elements as TFLite's kernels have it: the ratio of scales in
/// fixed point, divided by the taps without rounding.
void SetMean(double scale, int64_t taps, Attributes* attributes) {
  const FixedPoint factor = ToFixedPoint(scale);
  const int log = static_cast<int>(std::bit_width(static_cast<uint64_t>(taps))) - 1;
  const int shift = std::min(log, 31 + factor.exponent);
  attributes->Set("multiplier", (int64_t{factor.multiplier} << shift) / taps);
  attributes->Set("exponent", int64_t{factor.exponent - shift});
}

/// The scale of a sum of so many codes that gives their average.
Attributes AverageScale(const Node& node, const Codes& x, const WantedCodes& target, int64_t taps,
                        isa::Rounding rounding) {
  Attributes attributes{{"bias", -taps * x.zero_point}};
  const double factor = x.scale / target.scale / static_cast<double>(taps);
  SetRequant(attributes, factor, target);
  SetQuotient(taps, RatioOf(x.scale, target.scale), rounding, &attributes);
  const bool kernels = rounding == isa::Rounding::kDouble;
  if (kernels && node.op == Op::kReduceMean) {
    SetMean(x.scale / target.scale, taps, &attributes);
  } else if (kernels && factor < 1) {
    // Those of mode double still divide averages with one rounding: so does exponent 0.
    attributes.Set("multiplier",
                   static_cast<int64_t>(std::min(std::nearbyint(factor * 0x1p31), 0x1p31 - 1)));
    attributes.Set("exponent", int64_t{0});
  }
  return attributes;
}

/// Whether codes are averaged as TFLite's kernels do.
bool IsDivided(const Node& node, const Codes& x, const WantedCodes& target, int64_t taps,
               isa::Rounding rounding) {
  // Of larger windows a tie would be no further from its neighbours than the multiplier is off.
  constexpr int64_t kMostDivided = 2048;
  return rounding == isa::Rounding::kDouble && node.op == Op::kAvgPool && x.scale == target.scale &&
         x.zero_point == target.zero_point && taps <= kMostDivided;
}

/// How many of a window's taps along an axis lie in the input, for each output.
std::vector<int64_t> TapsInside(int64_t outputs, int64_t inputs, int64_t stride, int64_t pad,
                                int64_t kernel) {
  std::vector<int64_t> taps;
  for (int64_t out = 0; out < outputs; ++out) {
    const int64_t first = out * stride - pad;
    taps.push_back(std::min(first + kernel, inputs) - std::max<int64_t>(first, 0));
  }
  return taps;
}

}  // namespace

/// Windows at the border are divided by fewer taps: each place has a scale.
ValueId Integerizer::EmitBorderPool(const Node& node, const WantedCodes& target) {
  const std::vector<int64_t>&kernel = node.Ints("kernel"), &strides = node.Ints("strides"),
        &pads = node.Ints("pads");
  constexpr int64_t kMostPlaces = int64_t{1} << 18;
  const auto x = AsCodes(node.inputs[0]);
  if (!x || fresh_.shape(x->value).size() != 4 || kernel[0] > kMostTaps / kernel[1]) return kNone;
  const Shape in = fresh_.shape(x->value), out = fresh_.shape(node.output);
  if (out[2] * out[3] > kMostPlaces) return kNone;
  const bool divides = IsDivided(node, *x, target, kernel[0] * kernel[1], fresh_.rounding());
  std::map<int64_t, Attributes> scales;  // by taps
  const auto scale_of = [&](int64_t taps) -> const Attributes& {
    const auto [scale, is_new] = scales.try_emplace(taps);
    if (is_new) {
      scale->second = AverageScale(node, *x, target, taps, fresh_.rounding());
      if (divides && taps > 1) SetDivision(taps, &scale->second);
      if (divides) scale->second.Set("bias", int64_t{0});
    }
    return scale->second;
  };
  constexpr std::string_view kScales[] = {"bias", "multiplier", "exponent", "factor", "divisor"};
  std::vector<int32_t> numbers[std::size(kScales)];
  for (const int64_t lines : TapsInside(out[2], in[2], strides[0], pads[0], kernel[0]))
    for (const int64_t columns : TapsInside(out[3], in[3], strides[1], pads[1], kernel[1])) {
      const Attributes& scale = scale_of(lines * columns);
      for (size_t i = 0; i < std::size(kScales); ++i)
        numbers[i].push_back(static_cast<int32_t>(scale.Int(kScales[i])));
    }
  Attributes attributes = scale_of(kernel[0] * kernel[1]);
  if (divides) attributes.Set("zero_point", int64_t{0});
  attributes.Set("kernel", kernel);
  attributes.Set("strides", strides);
  attributes.Set("pads", pads);
  attributes.Set("pad_value", int64_t{0});
  // Of the places the most, so that it says whether any has one.
  const auto most = std::ranges::max_element(
      scales, {}, [](const auto& of_taps) { return of_taps.second.Int("divisor"); });
  for (const char* name : {"factor", "divisor"}) attributes.Set(name, most->second.Int(name));
  std::vector<ValueId> inputs = {x->value};
  for (size_t i = 0; i < std::size(kScales); ++i)
    inputs.push_back(fresh_.AddConstant(std::string(kScales[i]),
                                        Tensor::Of<int32_t>({out[2] * out[3]}, numbers[i])));
  return fresh_.Emit(Op::kAvgPoolI8, node.name, inputs, attributes);
}

ValueId Integerizer::EmitAvgPool(const Node& node, const std::vector<int64_t>& kernel,
                                 const std::vector<int64_t>& strides,
                                 const std::vector<int64_t>& pads, const WantedCodes& target) {
  const auto x = AsCodes(node.inputs[0]);
  if (!x || fresh_.shape(x->value).size() != 4 || kernel[0] > kMostTaps / kernel[1]) return kNone;
  const int64_t taps = kernel[0] * kernel[1];
  Attributes attributes = AverageScale(node, *x, target, taps, fresh_.rounding());
  attributes.Set("kernel", kernel);
  attributes.Set("strides", strides);
  attributes.Set("pads", pads);
  attributes.Set("pad_value", x->zero_point);
  if (taps > 1 && IsDivided(node, *x, target, taps, fresh_.rounding()))
    SetDivision(taps, &attributes);
  return fresh_.Emit(Op::kAvgPoolI8, node.name, {x->value}, attributes);
}

ValueId Integerizer::AvgPool(const Node& node, const WantedCodes& target) {
  const std::vector<int64_t>& pads = node.Ints("pads");
  const bool padded = pads != std::vector<int64_t>(4, 0);
  if (padded && node.Int("count_include_pad") == 0) return EmitBorderPool(node, target);
  return EmitAvgPool(node, node.Ints("kernel"), node.Ints("strides"), pads, target);
}

ValueId Integerizer::ReduceMean(const Node& node, const WantedCodes& target) {
  const Shape x = fresh_.shape(node.inputs[0]);
  const std::vector<int64_t>& axes = node.Ints("axes");
  const bool spatial = axes == std::vector<int64_t>{2, 3} || axes == std::vector<int64_t>{3, 2};
  if (x.size() != 4 || !spatial) return kNone;
  const ValueId pooled = EmitAvgPool(node, {x[2], x[3]}, {1, 1}, {0, 0, 0, 0}, target);
  if (pooled == kNone || node.Int("keepdims") != 0) return pooled;
  return fresh_.Emit(Op::kReshape, node.name, {pooled}, {{"shape", Shape{x[0], x[1]}}});
}

ValueId Integerizer::Concat(const Node& node, const WantedCodes& target) {
  std::vector<ValueId> inputs;
  for (ValueId input : node.inputs) {
    inputs.push_back(Quantise(input, target));
    if (inputs.back() == kNone) return kNone;
  }
  return fresh_.Emit(Op::kConcat, node.name, inputs, node.attributes);
}

}  // namespace vta::compiler
