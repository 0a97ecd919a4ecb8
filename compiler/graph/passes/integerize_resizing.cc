// Linear resizing between codes, where a target takes it: one op of codes, which rounds once. What
// it is of may be a function of codes that the model does not quantise: that is quantised so finely
// that the result is off by one code at most.
#include <algorithm>
#include <cmath>

#include "compiler/graph/ops/linear_taps.h"
#include "compiler/graph/passes/integerizer.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/passes/resized.h"

namespace vta::compiler {

Codes Integerizer::CodesToResize(ValueId real, double most) {
  if (const auto codes = AsCodes(real)) return *codes;
  Codes codes{kNone, 1, 0};
  const Node* const producer = fresh_.Producer(real);
  if (!producer) return codes;
  const Node node = *producer;  // emitting moves the graph's nodes
  const auto function = ValuesOf(node);
  if (!function) return codes;
  const std::span<const float> values = function->values.data<float>();
  const double low = std::min(0.0f, std::ranges::min(values)),
               high = std::max(0.0f, std::ranges::max(values));
  const auto& [value, scale, zero_point] = function->x;
  const auto place = [&](double number) {
    return number / scale + static_cast<double>(zero_point);
  };
  WantedCodes wanted{scale, zero_point};  // which is exact where the function changes nothing
  if (scale > most || place(low) < -128.5 || place(high) > 127.5) {
    wanted.scale = (high - low) / 255;
    if (wanted.scale <= 0 || wanted.scale > most) return codes;
    wanted.zero_point = static_cast<int64_t>(std::nearbyint(-128 - low / wanted.scale));
  }
  codes = {Lookup(node, wanted), wanted.scale, wanted.zero_point};
  return codes;
}

ValueId Integerizer::Resized(const Node& quantize, const WantedCodes& target,
                             const std::vector<int64_t>& uses, const PassContext& context) {
  const auto planes = AsResized(rebuild_.old(), quantize.inputs[0], uses);
  if (!planes) return kNone;
  // Half of a code before is less than one of the result.
  constexpr double kMostScale = 1.9;
  const double scale = target.scale / planes->factor;
  const Codes x = CodesToResize(rebuild_.Map(planes->of), kMostScale * scale);
  if (x.value == kNone || !fresh_.Producer(x.value) || !IsTaken(fresh_, x.value, context))
    return kNone;
  ops::LinearResize resize({planes->scales[0], planes->half_pixel},
                           {planes->scales[1], planes->half_pixel});
  // Mode double rounds to halves first, which are whole numbers then.
  constexpr int64_t kMostWeight = 127;
  if (fresh_.rounding() == isa::Rounding::kDouble && 2 * resize.most_weight() <= kMostWeight)
    resize.factor = 2;
  Attributes attributes{{"scales", planes->scales},
                        {"half_pixel", int64_t{planes->half_pixel}},
                        {"factor", resize.factor}};
  constexpr double kNoise = 1e-6;  // weights are float32
  const bool same = std::abs(x.scale / scale - 1) < kNoise && x.zero_point == target.zero_point;
  attributes.Set("bias", same ? 0 : -x.zero_point * resize.sum());
  WantedCodes codes = target;
  if (same) codes.zero_point = 0;
  SetRequant(attributes, (same ? 1 : x.scale / scale) / static_cast<double>(resize.sum()), codes);
  const ValueId made = fresh_.Emit(Op::kResizeI8, quantize.name, {x.value}, attributes);
  return IsTaken(fresh_, made, context) ? made : kNone;
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
