// Layers take the zero padding before them and the constant factors and addends after them.
#include <optional>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

/// Whether the scale and zero point are constants, where a value has them.
bool HasConstantScale(const Graph& graph, ValueId value) {
  const Node* producer = graph.Producer(value);
  return !producer || (graph.constant(producer->inputs[1]) && graph.constant(producer->inputs[2]));
}

bool IsConstantLike(const Graph& graph, ValueId value) {
  if (graph.constant(value)) return true;
  const Node* producer = graph.Producer(value);
  return producer && producer->op == Op::kDequantize && graph.constant(producer->inputs[0]);
}

/// A spatial pad with the value that the convolution pads with -> the convolution's own pads.
bool FusePad(Rebuild& rebuild, const Node& node) {
  Graph& fresh = rebuild.fresh();
  std::vector<ValueId> inputs = rebuild.MapInputs(node);
  const Node* pad = fresh.Producer(inputs[0]);
  if (!pad || pad->op != Op::kPad || pad->attributes.String("mode") != "constant") return false;
  const double own = node.op == Op::kConv2dI8 ? static_cast<double>(node.Int("pad_value")) : 0.0;
  const std::vector<int64_t>& added = pad->Ints("pads");
  if (pad->attributes.Double("value") != own || added.size() != 8) return false;
  for (size_t i = 0; i < 8; ++i) {
    if (added[i] < 0 || (i % 4 < 2 && added[i] != 0)) return false;
  }
  std::vector<int64_t> pads = node.Ints("pads");
  const size_t kSpatial[] = {2, 3, 6, 7};
  for (size_t i = 0; i < 4; ++i) pads[i] += added[kSpatial[i]];
  Attributes attributes = node.attributes;
  attributes.Set("pads", pads);
  inputs[0] = pad->inputs[0];
  rebuild.CopyWith(node, inputs, attributes);
  return true;
}

/// What a constant or dequantised constant is.
std::vector<double> RealsOf(const Graph& graph, ValueId value) {
  const Node* producer = graph.Producer(value);
  const Tensor& data = *graph.constant(producer ? producer->inputs[0] : value);
  const Tensor* scale = producer ? graph.constant(producer->inputs[1]) : nullptr;
  const Tensor* zero = producer ? graph.constant(producer->inputs[2]) : nullptr;
  std::vector<double> reals;
  for (int64_t i = 0; i < data.elements(); ++i) {
    const int64_t channel = scale && scale->elements() > 1 ? i : 0;
    reals.push_back(scale ? (data.At(i) - zero->At(channel)) * scale->At(channel) : data.At(i));
  }
  return reals;
}

/// The addend as a bias of `channels` values along the layer's channel axis, or kNone.
ValueId AsBias(Graph& fresh, ValueId addend, int64_t channels, size_t axes_after) {
  const Shape shape = fresh.shape(addend);
  if (Elements(shape) == 1 && HasConstantScale(fresh, addend)) {
    const std::vector<float> same(channels, static_cast<float>(RealsOf(fresh, addend)[0]));
    return fresh.AddConstant(fresh.value(addend).name, Tensor::Of<float>({channels}, same));
  }
  if (Elements(shape) != channels) return kNone;
  const size_t axis = shape.size() - 1 - std::min(axes_after, shape.size() - 1);
  if (shape.empty() || shape.size() <= axes_after || shape[axis] != channels) return kNone;
  if (shape.size() == 1) return addend;
  const Tensor* constant = fresh.constant(addend);
  if (constant) return fresh.AddConstant(fresh.value(addend).name, constant->Reshaped({channels}));
  const Node dequantize = *fresh.Producer(addend);
  const ValueId codes =
      fresh.AddConstant(fresh.value(dequantize.inputs[0]).name,
                        fresh.constant(dequantize.inputs[0])->Reshaped({channels}));
  return fresh.Emit(Op::kDequantize, dequantize.name,
                    {codes, dequantize.inputs[1], dequantize.inputs[2]}, {{"axis", int64_t{0}}});
}

/// The sum of a layer's own bias and another, each of `channels` values; kNone where the layer's is
/// of another kind.
ValueId SumOfBiases(Graph& fresh, const Node& layer, ValueId bias, int64_t channels) {
  if (layer.inputs.size() == 2) return bias;
  const ValueId own = layer.inputs[2];
  const bool plain = layer.op == Op::kConv2d || layer.attributes.Double("beta") == 1;
  if (!plain || !IsConstantLike(fresh, own) || fresh.shape(own) != Shape{channels} ||
      !HasConstantScale(fresh, own) || !HasConstantScale(fresh, bias))
    return kNone;
  const std::vector<double> a = RealsOf(fresh, own), b = RealsOf(fresh, bias);
  std::vector<float> sum(channels);
  for (int64_t c = 0; c < channels; ++c) sum[c] = static_cast<float>(a[c] + b[c]);
  return fresh.AddConstant(layer.name + ".bias", Tensor::Of<float>({channels}, sum));
}

/// A layer that one node alone reads, and the number per channel that the node applies to it.
struct Applied {
  Node layer;
  int64_t channels = 0;
  ValueId numbers = kNone;
  std::optional<Node> interleaves = {};  // the layer's channels, which are phases
};

/// What a number for each channel of the interleaved picture is for the layer's channels.
ValueId OfPhases(Graph& fresh, ValueId numbers, const Node& interleaves) {
  const std::vector<double> reals = RealsOf(fresh, numbers);
  const int64_t channels = std::ssize(reals), groups = interleaves.Int("groups");
  const int64_t per_group = channels / groups;
  const int64_t phases = fresh.shape(interleaves.inputs[0])[1] / channels;
  std::vector<float> spread;
  for (int64_t row = 0; row < groups * phases; ++row)
    for (int64_t c = 0; c < per_group; ++c)
      spread.push_back(static_cast<float>(reals[row / phases * per_group + c]));
  return fresh.AddConstant(fresh.value(numbers).name,
                           Tensor::Of<float>({phases * channels}, spread));
}

/// What add(layer, constant) or mul(layer, constant) applies, either way round.
std::optional<Applied> FindApplied(Rebuild& rebuild, const Node& node,
                                   const std::vector<int64_t>& uses) {
  Graph& fresh = rebuild.fresh();
  for (size_t side = 0; side < 2; ++side) {
    const ValueId layer_value = rebuild.Map(node.inputs[side]);
    const ValueId constant = rebuild.Map(node.inputs[1 - side]);
    const Node* producer = fresh.Producer(layer_value);
    if (!producer || uses[node.inputs[side]] != 1 || !IsConstantLike(fresh, constant) ||
        rebuild.old().type(node.output) != fresh.type(layer_value))
      continue;
    std::optional<Node> interleaves;
    if (producer->op == Op::kDepthToSpace && HasConstantScale(fresh, constant) &&
        uses[rebuild.old().Producer(node.inputs[side])->inputs[0]] == 1) {
      interleaves = *producer;
      producer = fresh.Producer(producer->inputs[0]);
      if (!producer) continue;
    }
    const Node layer = *producer;
    const Shape shape = fresh.shape(layer_value);
    // Or a stack of matrices times one matrix.
    const bool matrix =
        layer.op == Op::kGemm ||
        (layer.op == Op::kMatMul && fresh.shape(layer.inputs[0]).size() >= 2 &&
         fresh.shape(layer.inputs[1]).size() == 2 && IsConstantLike(fresh, layer.inputs[1]));
    if ((!matrix && layer.op != Op::kConv2d) || fresh.type(layer_value).dtype != DType::kFloat32)
      continue;
    const int64_t channels = matrix ? shape.back() : shape[1];
    const ValueId numbers = AsBias(fresh, constant, channels, matrix ? 0 : 2);
    if (numbers == kNone) continue;
    if (!interleaves) return Applied{layer, channels, numbers};
    return Applied{layer, fresh.shape(layer.output)[1], OfPhases(fresh, numbers, *interleaves),
                   interleaves};
  }
  return std::nullopt;
}

/// The layer in the node's place, with other operands.
void ReplaceByLayer(Rebuild& rebuild, const Node& node, const Applied& applied,
                    const std::vector<ValueId>& given) {
  const Node& layer = applied.layer;
  Attributes attributes = layer.attributes;
  if (layer.op == Op::kMatMul)
    attributes = {{"alpha", 1.0}, {"beta", 1.0}, {"trans_a", int64_t{0}}, {"trans_b", int64_t{0}}};
  if (layer.op == Op::kGemm && layer.inputs.size() == 2) attributes.Set("beta", 1.0);
  const Op op = layer.op == Op::kMatMul ? Op::kGemm : layer.op;
  Graph& fresh = rebuild.fresh();
  const Shape& out = rebuild.old().shape(node.output);
  std::vector<ValueId> operands = given;
  if (layer.op == Op::kMatMul) {  // the rows of all
    const Shape& x = fresh.shape(given[0]);
    operands[0] =
        Reshaped(fresh, given[0], {Elements({out.begin(), out.end() - 1}), x.back()}, layer.name);
  }
  ValueId made = fresh.Emit(op, layer.name, operands, attributes);
  if (layer.op == Op::kMatMul) made = Reshaped(fresh, made, out, layer.name);
  if (const auto& interleaves = applied.interleaves)
    made = fresh.Emit(interleaves->op, interleaves->name, {made}, interleaves->attributes);
  rebuild.Replace(node, made);
}

/// add(layer, constant) -> layer with bias.
bool FuseBias(Rebuild& rebuild, const Node& node, const std::vector<int64_t>& uses) {
  const auto applied = FindApplied(rebuild, node, uses);
  if (!applied) return false;
  const Node& layer = applied->layer;
  const ValueId bias = SumOfBiases(rebuild.fresh(), layer, applied->numbers, applied->channels);
  if (bias == kNone) return false;
  ReplaceByLayer(rebuild, node, *applied, {layer.inputs[0], layer.inputs[1], bias});
  return true;
}

/// mul(layer, constant) -> layer with other weights and bias, where these are real constants: codes
/// have scales of their own. So a batch normalisation after a layer costs nothing.
bool FuseScale(Rebuild& rebuild, const Node& node, const std::vector<int64_t>& uses) {
  const auto applied = FindApplied(rebuild, node, uses);
  if (!applied || !HasConstantScale(rebuild.fresh(), applied->numbers)) return false;
  Graph& fresh = rebuild.fresh();
  const Node& layer = applied->layer;
  const std::vector<double> factors = RealsOf(fresh, applied->numbers);
  const bool rows = layer.op == Op::kConv2d ||  // of the weights are the channels
                    (layer.op == Op::kGemm && layer.Int("trans_b") != 0);
  std::vector<ValueId> operands = {layer.inputs[0]};
  for (size_t i = 1; i < layer.inputs.size(); ++i) {
    const Tensor* constant = fresh.constant(layer.inputs[i]);
    // A bias that is broadcast has no number for a channel.
    const bool fits = i == 1 || (constant && constant->shape() == Shape{applied->channels});
    if (!constant || !fits) return false;
    const int64_t each = rows && i == 1 ? constant->elements() / applied->channels : 1;
    std::vector<float> scaled(constant->elements());
    for (int64_t e = 0; e < constant->elements(); ++e)
      scaled[e] = static_cast<float>(constant->At(e) * factors[e / each % applied->channels]);
    operands.push_back(fresh.AddConstant(fresh.value(layer.inputs[i]).name,
                                         Tensor::Of<float>(constant->shape(), scaled)));
  }
  ReplaceByLayer(rebuild, node, *applied, operands);
  return true;
}

}  // namespace

Graph FuseIntoLayers(const Graph& graph, const PassContext&) {
  Rebuild rebuild(graph);
  const std::vector<int64_t> uses = graph.UseCounts();
  for (const Node& node : graph.nodes()) {
    const bool conv = node.op == Op::kConv2d || node.op == Op::kConv2dI8;
    if (conv && FusePad(rebuild, node)) continue;
    if (node.op == Op::kAdd && FuseBias(rebuild, node, uses)) continue;
    if (node.op == Op::kMul && FuseScale(rebuild, node, uses)) continue;
    rebuild.Copy(node);
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
