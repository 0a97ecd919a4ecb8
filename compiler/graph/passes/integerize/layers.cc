// Integerize: convolution and dense layers. x_zero_point is folded into the bias.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops/int8_common.h"
#include "compiler/graph/passes/integerize/integerizer.h"

namespace vta::compiler {
namespace {

constexpr int64_t kMostInt32 = std::numeric_limits<int32_t>::max();

/// Weight codes with their zero points subtracted, and the scale of each output channel.
struct Weights {
  std::vector<int16_t> codes;  // 9 bits
  std::vector<double> scales;

  /// The codes as [channels, ...]: int8 where that holds them.
  Tensor As(const Shape& shape) const {
    const auto fits = [](int16_t code) { return static_cast<int8_t>(code) == code; };
    if (!std::ranges::all_of(codes, fits)) return Tensor::Of(shape, codes);
    return Tensor::Of(shape, std::vector<int8_t>(codes.begin(), codes.end()));
  }
};

/// Reads dequantize(constant of 8 bits), with one scale or one for each index of `channel_axis`.
std::optional<Weights> ReadWeights(const Graph& graph, ValueId value, int64_t channel_axis) {
  const Node* producer = graph.Producer(value);
  if (!producer || producer->op != Op::kDequantize) return std::nullopt;
  const Tensor* codes = graph.constant(producer->inputs[0]);
  const Tensor *scale = graph.constant(producer->inputs[1]),
               *zero = graph.constant(producer->inputs[2]);
  if (!codes || !scale || !zero || Bytes(codes->dtype()) != 1) return std::nullopt;
  const bool per_channel = !scale->shape().empty();
  if (per_channel && producer->Int("axis") != channel_axis) return std::nullopt;
  const int64_t channels = codes->shape()[channel_axis];
  const int64_t step = Strides(codes->shape())[channel_axis];
  Weights weights;
  for (int64_t i = 0; i < codes->elements(); ++i)
    weights.codes.push_back(
        static_cast<int16_t>(codes->At(i) - zero->At(per_channel ? i / step % channels : 0)));
  for (int64_t c = 0; c < channels; ++c) weights.scales.push_back(scale->At(per_channel ? c : 0));
  return weights;
}

}  // namespace

/// The bias in units of the accumulator: int32 codes as they are where their scale is the
/// accumulator's, otherwise rounded.
std::optional<std::vector<int64_t>> Integerizer::BiasCodes(ValueId bias,
                                                           const std::vector<double>& scales) {
  std::vector<int64_t> codes(scales.size());
  if (bias == kNone) return codes;
  const Node* producer = fresh_.Producer(bias);
  const bool quantised = producer && producer->op == Op::kDequantize;
  const Tensor* data = fresh_.constant(quantised ? producer->inputs[0] : bias);
  const int64_t channels = static_cast<int64_t>(scales.size());
  if (!data || data->elements() != channels || data->shape().empty() ||
      data->shape().back() != channels)
    return std::nullopt;
  for (size_t c = 0; c < codes.size(); ++c) {
    double unit = 1, zero = 0;
    if (quantised) {
      const Tensor& scale = *fresh_.constant(producer->inputs[1]);
      unit = scale.At(scale.elements() == 1 ? 0 : static_cast<int64_t>(c));
      zero = fresh_.constant(producer->inputs[2])
                 ->At(scale.elements() == 1 ? 0 : static_cast<int64_t>(c));
    }
    constexpr double kSame = 1e-5;  // the product of two float32 scales, rounded to float32
    const double ratio = unit / scales[c];
    const bool same = quantised && std::abs(ratio - 1) < kSame;
    const double code = (data->At(static_cast<int64_t>(c)) - zero) * (same ? 1 : ratio);
    if (!(std::abs(code) < static_cast<double>(kMostInt32))) return std::nullopt;
    codes[c] = std::llround(code);
  }
  return codes;
}

/// Shape: weights [channels, ...]. Nothing if a sum could leave 32 bits.
std::optional<Integerizer::Layer> Integerizer::MakeLayer(const Codes& x, Tensor weights,
                                                         const std::vector<double>& weight_scales,
                                                         ValueId bias, const WantedCodes& target) {
  const int64_t channels = static_cast<int64_t>(weight_scales.size());
  std::vector<double> sum_scales;
  for (double scale : weight_scales) sum_scales.push_back(x.scale * scale);
  auto bias_codes = BiasCodes(bias, sum_scales);
  if (!bias_codes) return std::nullopt;
  std::vector<int32_t> biases, multipliers, exponents;
  const int64_t taps = weights.elements() / channels;
  const std::vector<int16_t> codes = ops::WeightCodes(weights);
  for (int64_t c = 0; c < channels; ++c) {
    int64_t sum = 0, magnitude = 0;
    for (const int16_t w : std::span(codes).subspan(c * taps, taps)) {
      sum += w;
      magnitude += std::abs(int{w});
    }
    const int64_t folded = (*bias_codes)[c] - x.zero_point * sum;
    if (std::abs(folded) + 128 * magnitude > kMostInt32) return std::nullopt;
    const FixedPoint factor = ToFixedPoint(sum_scales[c] / target.scale);
    biases.push_back(static_cast<int32_t>(folded));
    multipliers.push_back(factor.multiplier);
    exponents.push_back(factor.exponent);
  }
  return Layer{fresh_.AddConstant("w", std::move(weights)),
               fresh_.AddConstant("bias", Tensor::Of<int32_t>({channels}, biases)),
               fresh_.AddConstant("multiplier", Tensor::Of<int32_t>({channels}, multipliers)),
               fresh_.AddConstant("exponent", Tensor::Of<int32_t>({channels}, exponents))};
}

ValueId Integerizer::Conv(const Node& node, const WantedCodes& target) {
  const auto x = AsCodes(node.inputs[0]);
  auto weights = ReadWeights(fresh_, node.inputs[1], 0);
  if (!x || !weights) return kNone;
  const ValueId bias = node.inputs.size() > 2 ? node.inputs[2] : kNone;
  const auto layer =
      MakeLayer(*x, weights->As(fresh_.shape(node.inputs[1])), weights->scales, bias, target);
  return layer ? EmitConv(node, *x, *layer, node.attributes, target) : kNone;
}

/// `attributes` are those of conv2d.
ValueId Integerizer::EmitConv(const Node& node, const Codes& x, const Layer& layer,
                              Attributes attributes, const WantedCodes& target) {
  attributes.Set("pad_value", x.zero_point);
  SetRange(attributes, target);
  return fresh_.Emit(Op::kConv2dI8, node.name,
                     {x.value, layer.weights, layer.bias, layer.multiplier, layer.exponent},
                     attributes);
}

/// `transposed`: the weight is [channels, depth] already.
ValueId Integerizer::Dense(const Node& node, const Codes& x, ValueId weight, bool transposed,
                           ValueId bias, const WantedCodes& target) {
  auto weights = ReadWeights(fresh_, weight, transposed ? 0 : 1);
  if (!weights) return kNone;
  Shape shape = fresh_.shape(weight);
  if (!transposed) {
    const std::vector<int16_t> codes = weights->codes;
    for (size_t i = 0; i < codes.size(); ++i)
      weights->codes[i] = codes[i % shape[0] * shape[1] + i / shape[0]];
    std::swap(shape[0], shape[1]);
  }
  const auto layer = MakeLayer(x, weights->As(shape), weights->scales, bias, target);
  if (!layer) return kNone;
  Attributes attributes;
  SetRange(attributes, target);
  return fresh_.Emit(Op::kDenseI8, node.name,
                     {x.value, layer->weights, layer->bias, layer->multiplier, layer->exponent},
                     attributes);
}

ValueId Integerizer::Gemm(const Node& node, const WantedCodes& target) {
  auto x = AsCodes(node.inputs[0]);
  const double alpha = node.attributes.Double("alpha");
  const bool plain = alpha > 0 && node.attributes.Double("beta") == 1 && node.Int("trans_a") == 0;
  if (!x || !plain) return kNone;
  x->scale *= alpha;
  const ValueId bias = node.inputs.size() > 2 ? node.inputs[2] : kNone;
  return Dense(node, *x, node.inputs[1], node.Int("trans_b") != 0, bias, target);
}

ValueId Integerizer::MatMul(const Node& node, const WantedCodes& target) {
  auto x = AsCodes(node.inputs[0]);
  const Shape shape = fresh_.shape(node.inputs[0]), out = fresh_.shape(node.output);
  if (!x || shape.size() < 2 || fresh_.shape(node.inputs[1]).size() != 2) return kNone;
  const int64_t depth = shape.back();
  if (shape.size() > 2)  // a stack of matrices times one matrix is one taller matrix
    x->value = fresh_.Emit(Op::kReshape, node.name, {x->value},
                           {{"shape", Shape{Elements(shape) / depth, depth}}});
  const ValueId dense = Dense(node, *x, node.inputs[1], false, kNone, target);
  if (dense == kNone || shape.size() == 2) return dense;
  return fresh_.Emit(Op::kReshape, node.name, {dense}, {{"shape", out}});
}

}  // namespace vta::compiler
