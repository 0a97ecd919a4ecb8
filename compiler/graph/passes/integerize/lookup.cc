// Integerize: functions of one code. What is computed element by element from the codes of one
// tensor and from numbers becomes a table of the codes that all 256 give, in the arithmetic of the
// model's own operators. Where it is a line through 0, perhaps bent there, or a line for each
// channel, it becomes what accelerators compute.
#include <algorithm>
#include <cmath>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/passes/all_codes.h"
#include "compiler/graph/passes/integerize/integerizer.h"

namespace vta::compiler {

namespace {

/// The number that a value is, known and the same for all elements, or one for each channel.
/// Shape: value broadcasts to `shape` -> [] or [C].
std::optional<Tensor> NumberOf(const Graph& graph, ValueId real, const Shape& shape) {
  std::optional<Tensor> number;
  if (const Tensor* constant = graph.constant(real)) {
    number = *constant;
  } else if (const Node* producer = graph.Producer(real);
             producer && producer->op == Op::kDequantize) {
    std::vector<const Tensor*> inputs;
    for (ValueId input : producer->inputs) inputs.push_back(graph.constant(input));
    if (std::ranges::count(inputs, nullptr) > 0) return std::nullopt;
    number = EvaluateNode(graph, *producer, inputs);
  }
  if (!number) return std::nullopt;
  if (number->elements() == 1) return number->Reshaped({});
  const Shape& own = number->shape();
  const size_t axis = own.size() + 1 - shape.size();  // of the channels; too large where none
  if (shape.size() < 2 || axis >= own.size() || own[axis] != shape[1] ||
      number->elements() != own[axis])
    return std::nullopt;
  return number->Reshaped({own[axis]});
}

bool ComputesEach(const Graph& graph, const Node& node) {
  const DType type = graph.type(node.output).dtype;
  return Spec(node.op).traits.elementwise && node.op != Op::kDequantize &&
         (type == DType::kFloat32 || type == DType::kBool);
}

/// y = below * x for x < 0, above * x for the rest.
struct BentLine {
  double below, above;
};

constexpr double kNoise = 1e-6;  // a few roundings of float32

std::optional<BentLine> AsBentLine(std::span<const float> x, std::span<const float> y) {
  std::optional<double> slopes[2];
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 0 && y[i] != 0) return std::nullopt;
    if (x[i] == 0) continue;
    std::optional<double>& slope = slopes[x[i] > 0];
    const double here = double{y[i]} / double{x[i]};
    if (!slope) slope = here;
    if (!(std::abs(here - *slope) <= kNoise * std::abs(*slope))) return std::nullopt;
  }
  if (!slopes[0] && !slopes[1]) return std::nullopt;
  BentLine line{slopes[0].value_or(slopes[1].value_or(0)), slopes[1].value_or(*slopes[0])};
  if (std::abs(line.below - line.above) <= kNoise * std::abs(line.above)) line.below = line.above;
  return line;
}

int8_t CodeIn(float real, const WantedCodes& target) {
  const int64_t code = std::isnan(real) ? target.zero_point : CodeOf(real, target);
  return static_cast<int8_t>(std::clamp(code, target.low, target.high));
}

}  // namespace

ValueId Integerizer::Trace(ValueId real, const Shape& shape, CodeFunction& function) {
  if (const auto found = function.made.find(real); found != function.made.end())
    return found->second;
  if (const auto number = NumberOf(fresh_, real, shape))
    return function.graph.AddConstant("c", *number);
  const Node* producer = fresh_.Producer(real);
  if (!producer || fresh_.shape(real) != shape || depth_ >= kMostDepth ||
      function.graph.nodes().size() >= CodeFunction::kMostNodes)
    return kNone;
  const Node node = *producer;  // emitting moves the graph's nodes
  ++depth_;
  ValueId made = kNone;
  if (ComputesEach(fresh_, node)) {
    std::vector<ValueId> inputs;
    for (ValueId input : node.inputs) {
      inputs.push_back(Trace(input, shape, function));
      if (inputs.back() == kNone) break;
    }
    if (inputs.back() != kNone) {
      made = function.graph.Emit(node.op, node.name, inputs, node.attributes);
      function.elements += Elements(function.graph.shape(made));
    }
    if (function.elements > CodeFunction::kMostElements) made = kNone;
  } else if (const auto codes = AsCodes(real)) {
    if (!function.codes) function.codes = codes;
    const Codes& first = *function.codes;
    if (codes->value == first.value && codes->scale == first.scale &&
        codes->zero_point == first.zero_point)
      made = function.x;
  }
  --depth_;
  return function.made[real] = made;
}

/// As below * x + (above - below) * max(x, 0); kNone where a multiplier would be negative or
/// nothing is to be multiplied.
ValueId Integerizer::Bent(const std::string& name, const Codes& x, double below, double above,
                          const WantedCodes& target) {
  if (above > 0 && below == above)
    return Requant(name, {x.value, x.scale * above, x.zero_point}, target);
  if (above > 0 && below == 0) {
    WantedCodes rectified = target;
    rectified.low = std::clamp(target.zero_point, target.low, target.high);
    return Requant(name, {x.value, x.scale * above, x.zero_point}, rectified);
  }
  if (below == 0 || below == above) return kNone;
  const ValueId positive =
      Requant(name, x, {x.scale, x.zero_point, std::clamp<int64_t>(x.zero_point, -128, 127), 127});
  return EmitSum(name, {x.value, x.scale * below, x.zero_point},
                 {positive, x.scale * (above - below), x.zero_point}, target);
}

std::optional<Integerizer::Slopes> Integerizer::SlopesOf(std::span<const float> reals,
                                                         const Tensor& values) {
  const int64_t channels = values.shape()[1];
  Slopes slopes;
  for (int64_t c = 0; c < channels; ++c) {
    std::vector<float> of_channel(reals.size());
    for (size_t i = 0; i < reals.size(); ++i)
      of_channel[i] = values.data<float>()[static_cast<int64_t>(i) * channels + c];
    const auto line = AsBentLine(reals, of_channel);
    if (!line || line->above <= 0) return std::nullopt;
    if (c == 0) slopes.above = line->above;
    if (std::abs(line->above - slopes.above) > kNoise * slopes.above) return std::nullopt;
    slopes.below.push_back(line->below);
  }
  return slopes;
}

ValueId Integerizer::ChannelBends(const Node& node, const Codes& x, std::span<const float> reals,
                                  const Tensor& values, const WantedCodes& target) {
  constexpr size_t kPlanes = 4;
  if (fresh_.rounding() == isa::Rounding::kDouble || fresh_.shape(x.value).size() != kPlanes)
    return kNone;
  const std::optional<Slopes> slopes = SlopesOf(reals, values);
  if (!slopes) return kNone;
  std::vector<int32_t> multipliers, exponents;
  for (const double slope : slopes->below) {
    const FixedPoint below = ToFixedPoint(std::abs(slope) * x.scale / target.scale);
    multipliers.push_back(slope < 0 ? -below.multiplier : below.multiplier);
    exponents.push_back(below.exponent);
  }
  Shape shape(kPlanes, 1);
  shape[1] = std::ssize(multipliers);
  const auto constant = [&](const std::string& name, const std::vector<int32_t>& numbers) {
    return fresh_.AddConstant(name, Tensor::Of<int32_t>(shape, numbers));
  };
  Attributes attributes{{"bias", -x.zero_point}};
  SetRequant(attributes, x.scale * slopes->above / target.scale, target);
  return fresh_.Emit(
      Op::kPreluI8, node.name,
      {x.value, constant("multipliers", multipliers), constant("exponents", exponents)},
      attributes);
}

/// Whether integers make of all codes what the table says, but for a few where they are one off:
/// the real function may put many codes, or all, next to the border between two.
/// Shape: table [C, 256].
bool Integerizer::Follows(ValueId made, const Codes& x, const Tensor& table) const {
  constexpr int64_t kMostOff = 4;  // of the codes of a channel
  const int64_t channels = table.shape()[0];
  const Tensor y = OverAllCodes(fresh_, made, x.value, channels);
  std::vector<int64_t> off(channels);
  for (int64_t i = 0; i < y.elements(); ++i) {
    const double by = std::abs(y.At(i) - table.At(i));
    if (by > 1 || (by > 0 && ++off[i / 256] > kMostOff)) return false;
  }
  return true;
}

std::optional<Integerizer::CodeValues> Integerizer::ValuesOf(const Node& node) {
  if (!ComputesEach(fresh_, node)) return std::nullopt;
  CodeFunction function;
  const ValueId y = Trace(node.output, fresh_.shape(node.output), function);
  if (y == kNone || !function.codes) return std::nullopt;
  function.graph.AddOutput("y", y);
  Tensor reals(TensorType{DType::kFloat32, {256, 1}});
  for (int64_t i = 0; i < 256; ++i)
    reals.mutable_data<float>()[i] = static_cast<float>(i - 128 - function.codes->zero_point) *
                                     static_cast<float>(function.codes->scale);
  Tensor values = Evaluate(function.graph, {reals})[0];
  return CodeValues{*function.codes, std::move(reals), std::move(values)};
}

ValueId Integerizer::Lookup(const Node& node, const WantedCodes& target) {
  const std::optional<CodeValues> function = ValuesOf(node);
  if (!function) return kNone;
  const auto& [x, reals, values] = *function;
  const int64_t channels = values.shape()[1];
  Tensor table(TensorType{DType::kInt8, {channels, 256}});
  for (int64_t i = 0; i < table.elements(); ++i)
    table.mutable_data<int8_t>()[i] =
        CodeIn(values.data<float>()[i % 256 * channels + i / 256], target);
  ValueId made = kNone;
  if (channels > 1) {
    made = ChannelLines(node, x, reals.data<float>(), values, target);
    if (made == kNone) made = ChannelBends(node, x, reals.data<float>(), values, target);
  } else if (const auto line = AsBentLine(reals.data<float>(), values.data<float>())) {
    made = Bent(node.name, x, line->below, line->above, target);
  }
  if (made != kNone && Follows(made, x, table)) return made;
  if (channels > 1) return kNone;
  const ValueId codes = fresh_.AddConstant("table", table.Reshaped({256}));
  return fresh_.Emit(Op::kLookupI8, node.name, {x.value, codes}, {});
}

}  // namespace vta::compiler
