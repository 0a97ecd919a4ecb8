// Quantise-dequantise form -> integer normal form: what is real-valued between a dequantize and a
// quantize becomes one integer op with requantisation. Where the arithmetic does not allow it, the
// real ops stay.
#include <algorithm>
#include <cmath>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/passes/integerize/integerizer.h"
#include "compiler/graph/passes/passes.h"

namespace vta::compiler {

int64_t CodeOf(double real, const WantedCodes& target) {
  const float code = std::nearbyint(static_cast<float>(real) / static_cast<float>(target.scale));
  return static_cast<int64_t>(std::clamp(
      static_cast<double>(code) + static_cast<double>(target.zero_point), -128.0, 127.0));
}

void SetRange(Attributes& attributes, const WantedCodes& target) {
  attributes.Set("zero_point", target.zero_point);
  attributes.Set("low", target.low);
  attributes.Set("high", target.high);
}

void SetRequant(Attributes& attributes, double real, const WantedCodes& target) {
  const FixedPoint factor = ToFixedPoint(real);
  attributes.Set("multiplier", int64_t{factor.multiplier});
  attributes.Set("exponent", int64_t{factor.exponent});
  SetRange(attributes, target);
}

std::optional<WantedCodes> ReadScale(const Graph& graph, const Node& node, DType codes) {
  const Tensor *scale = graph.constant(node.inputs[1]), *zero = graph.constant(node.inputs[2]);
  if (!Is8Bit(codes) || !scale || !zero || scale->elements() != 1) return std::nullopt;
  const int64_t shift = codes == DType::kUint8 ? 128 : 0;
  return WantedCodes{scale->At(0), static_cast<int64_t>(zero->At(0)) - shift};
}

ValueId Integerizer::ToInt8(ValueId codes) {
  if (fresh_.type(codes).dtype == DType::kInt8) return codes;
  auto [entry, missing] = int8_.try_emplace(codes, kNone);
  if (!missing) return entry->second;
  const Node* producer = fresh_.Producer(codes);
  if (producer && producer->op == Op::kFlipSign) return entry->second = producer->inputs[0];
  const std::string name = fresh_.value(codes).name;
  return entry->second = fresh_.Emit(Op::kFlipSign, name, {codes}, {});
}

std::optional<Codes> Integerizer::CodesOfDequantize(const Node& node) {
  const auto scale = ReadScale(fresh_, node, fresh_.type(node.inputs[0]).dtype);
  if (!scale) return std::nullopt;
  return Codes{ToInt8(node.inputs[0]), scale->scale, scale->zero_point};
}

ValueId Integerizer::EmitMaxPool(const Node& node, ValueId codes) {
  return fresh_.Emit(Op::kMaxPoolI8, node.name, {codes},
                     {{"kernel", node.Ints("kernel")},
                      {"strides", node.Ints("strides")},
                      {"pads", node.Ints("pads")}});
}

namespace {

/// Whether a relu or clip gives codes' reals alone: a bound is one of them, or never reached.
bool ClampsToCodes(const Node& node, const Codes& codes) {
  constexpr double kNoise = 1e-3;  // of a code: the bound and the scale are float32
  if (node.op == Op::kRelu) return true;
  const auto place = [&](const char* bound) {
    return node.attributes.Double(bound) / codes.scale + static_cast<double>(codes.zero_point);
  };
  const auto is_code = [](double at) {
    return at > -128.5 && at < 127.5 && std::abs(at - std::nearbyint(at)) <= kNoise;
  };
  const double low = place("low"), high = place("high");
  return (low <= -128 || is_code(low)) && (high >= 127 || is_code(high));
}

}  // namespace

std::optional<Codes> Integerizer::MakeCodes(const Node& node) {
  if (node.op == Op::kDequantize) return CodesOfDequantize(node);
  const bool moves = MovesData(node.op), pools = IsUndilatedMaxPool(node);
  const bool clamps = node.op == Op::kRelu || node.op == Op::kClip;
  if (!moves && !pools && !clamps) return std::nullopt;
  std::vector<ValueId> inputs;
  std::optional<Codes> first;
  for (ValueId input : node.inputs) {
    if (node.op == Op::kGather && !inputs.empty()) {  // places, not codes
      inputs.push_back(input);
      break;
    }
    const auto codes = AsCodes(input);
    if (!codes) return std::nullopt;
    if (!first) first = codes;
    if (codes->scale != first->scale || codes->zero_point != first->zero_point) return std::nullopt;
    inputs.push_back(codes->value);
  }
  Codes result = *first;
  const WantedCodes same{first->scale, first->zero_point};
  if (clamps) {
    if (!ClampsToCodes(node, *first)) return std::nullopt;
    result.value = Quantise(node.output, same);
  } else if (pools) {
    result.value = EmitMaxPool(node, inputs[0]);
  } else {
    Attributes attributes = node.attributes;
    if (node.op == Op::kPad) {
      if (node.attributes.Double("value") != 0) return std::nullopt;
      attributes.Set("value", static_cast<double>(first->zero_point));
    }
    result.value = fresh_.Emit(node.op, node.name, inputs, attributes);
  }
  return result;
}

std::optional<Codes> Integerizer::AsCodes(ValueId real) {
  if (auto found = codes_.find(real); found != codes_.end()) return found->second;
  const Node* producer = fresh_.Producer(real);
  if (!producer || depth_ >= kMostDepth) return std::nullopt;
  const Node node = *producer;  // emitting moves the graph's nodes
  ++depth_;
  const std::optional<Codes> codes = MakeCodes(node);
  --depth_;
  return codes_[real] = codes;
}

ValueId Integerizer::Quantise(ValueId real, const WantedCodes& target) {
  if (auto found = quantised_.find({real, target}); found != quantised_.end()) return found->second;
  const Node* producer = fresh_.Producer(real);
  if (!producer || depth_ >= kMostDepth) return kNone;
  const Node node = *producer;
  ++depth_;
  const ValueId codes = MakeQuantised(node, target);
  --depth_;
  return quantised_[{real, target}] = codes;
}

ValueId Integerizer::MakeQuantised(const Node& node, const WantedCodes& target) {
  if (context_) return MakeProduct(node, target);
  const ValueId codes = MakeByForm(node, target);
  return codes != kNone ? codes : Lookup(node, target);
}

ValueId Integerizer::MakeByForm(const Node& node, const WantedCodes& target) {
  switch (node.op) {
    case Op::kRelu:
    case Op::kClip: {
      const bool relu = node.op == Op::kRelu;
      const int64_t low = CodeOf(relu ? 0 : node.attributes.Double("low"), target);
      const int64_t high = relu ? 127 : CodeOf(node.attributes.Double("high"), target);
      WantedCodes inner = target;
      inner.high = std::clamp(high, target.low, target.high);
      inner.low = std::min(std::clamp(low, target.low, target.high), inner.high);
      return Quantise(node.inputs[0], inner);
    }
    case Op::kConv2d:
      return Conv(node, target);
    case Op::kGemm:
      return Gemm(node, target);
    case Op::kMatMul:
      return MatMul(node, target);
    case Op::kAdd:
    case Op::kSub:
      return Add(node, target);
    case Op::kMul:
      return Mul(node, target);
    case Op::kAvgPool:
      return AvgPool(node, target);
    case Op::kReduceMean:
      return ReduceMean(node, target);
    default:
      break;
  }
  if (const auto codes = AsCodes(node.output)) return Requant(node.name, *codes, target);
  if (node.op == Op::kConcat) return Concat(node, target);
  const bool moves = node.op == Op::kReshape || node.op == Op::kTranspose ||
                     node.op == Op::kIdentity || node.op == Op::kDepthToSpace;
  const bool pools = IsUndilatedMaxPool(node);
  if (!moves && !pools) return kNone;
  const ValueId inner = Quantise(node.inputs[0], target);
  if (inner == kNone) return kNone;
  return pools ? EmitMaxPool(node, inner)
               : fresh_.Emit(node.op, node.name, {inner}, node.attributes);
}

Graph Integerizer::Run() {
  for (const Node& node : rebuild_.old().nodes()) {
    ValueId codes = kNone;
    if (context_ && node.op != Op::kQuantize) {
      rebuild_.Copy(node);
      continue;
    }
    if (node.op == Op::kQuantize) {
      const DType dtype = rebuild_.old().type(node.output).dtype;
      if (const auto target = ReadScale(rebuild_.old(), node, dtype))
        codes = Quantise(rebuild_.Map(node.inputs[0]), *target);
      if (codes != kNone && dtype == DType::kUint8)
        codes = fresh_.Emit(Op::kFlipSign, node.name, {codes}, {});
      if (codes == kNone && !context_) {
        Node mapped = node;
        mapped.inputs = rebuild_.MapInputs(node);
        codes = Average(mapped);
      }
    } else {
      codes = OnCodes(node);
    }
    if (codes == kNone) {
      rebuild_.Copy(node);
    } else {
      rebuild_.Replace(node, codes);
    }
  }
  return rebuild_.Finish();
}

Graph Integerize(const Graph& graph, const PassContext&) { return Integerizer(graph).Run(); }

Graph TakeProducts(const Graph& graph, const PassContext& context) {
  return Integerizer(graph, &context).Run();
}

}  // namespace vta::compiler
