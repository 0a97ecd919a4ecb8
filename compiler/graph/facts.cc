#include "compiler/graph/facts.h"

#include <optional>

#include "compiler/graph/ops/int8_common.h"

namespace vta::compiler {
namespace {

// "64x56x56" of an activation; packed ones show channels rounded up to whole blocks, unless it is
// known how many they are. The batch shows unless it is 1.
std::string ShapeText(const Shape& shape, std::optional<int64_t> channels) {
  Shape plain = shape;
  if (shape.size() == 6)
    plain = {shape[0] * shape[4], channels.value_or(shape[1] * shape[5]), shape[2], shape[3]};
  if (plain.size() == 4 && plain[2] == 1 && plain[3] == 1) plain.resize(2);
  std::string text;
  for (size_t d = plain.size() > 1 && plain[0] == 1 ? 1 : 0; d < plain.size(); ++d)
    text += StrCat(text.empty() ? "" : "x", plain[d]);
  return text.empty() ? "1" : text;
}

// How many channels a layer with weights reads and makes.
struct Channels {
  std::optional<int64_t> in, out;
};
Channels ChannelsOf(const Graph& graph, const Node& node) {
  if (node.op != Op::kConv2dI8 && node.op != Op::kDenseI8) return {};
  const Shape& weights = graph.shape(node.inputs[1]);
  return {weights[1] * (node.op == Op::kConv2dI8 ? node.Int("groups") : 1), weights[0]};
}

int64_t Batch(const Shape& shape) { return shape.size() == 6 ? shape[0] * shape[4] : shape[0]; }

// Taps that are 0 for all outputs complete a folded window: they are no work.
int64_t UsefulWeights(const Graph& graph, const Node& conv) {
  const Shape& shape = graph.shape(conv.inputs[1]);
  const Tensor* weights = graph.constant(conv.inputs[1]);
  const Node* x = graph.Producer(conv.inputs[0]);
  if (x && x->op == Op::kPack) x = graph.Producer(x->inputs[0]);
  if (!weights || !x || x->op != Op::kIm2Col) return Elements(shape);
  const std::vector<int16_t> data = ops::WeightCodes(*weights);
  const int64_t count = Elements(shape) / shape[0];
  int64_t useful = 0;
  for (int64_t tap = 0; tap < count; ++tap) {
    int64_t output = 0;
    while (output < shape[0] && data[output * count + tap] == 0) ++output;
    useful += output < shape[0] ? shape[0] : 0;
  }
  return useful;
}

int64_t MacsOf(const Graph& graph, const Node& node) {
  const Shape& out = graph.shape(node.output);
  switch (node.op) {
    case Op::kConv2d:
      return Batch(out) * out[2] * out[3] * Elements(graph.shape(node.inputs[1]));
    case Op::kConv2dI8:
      return Batch(out) * out[2] * out[3] * UsefulWeights(graph, node);
    case Op::kDenseI8:
      return Batch(out) * Elements(graph.shape(node.inputs[1]));
    case Op::kGemm:
    case Op::kMatMul:
      return Elements(out) * graph.shape(node.inputs[0]).back();
    default:
      return 0;
  }
}

std::string WindowText(const Graph& graph, const Node& node) {
  Shape kernel;
  if (node.op == Op::kConv2d || node.op == Op::kConv2dI8) {
    const Shape& weights = graph.shape(node.inputs[1]);
    kernel = {weights[2], weights[3]};
  } else if (node.attributes.Has("kernel")) {
    kernel = node.Ints("kernel");
  } else {
    return "";
  }
  std::string text = StrCat(" k", kernel[0], "x", kernel[1], " s", node.Ints("strides")[0]);
  if (node.attributes.Has("groups") && node.Int("groups") > 1)
    text += StrCat(" g", node.Int("groups"));
  return text;
}

}  // namespace

isa::LayerFacts FactsOf(const Graph& graph, const Step& step) {
  isa::LayerFacts facts;
  for (NodeId id : step.nodes) {
    const Node& node = graph.nodes()[id];
    facts.op += StrCat(facts.op.empty() ? "" : "+", Spec(node.op).name);
    facts.macs += MacsOf(graph, node);
  }
  const Node& first = graph.nodes()[step.nodes.front()];
  const Node& last = graph.nodes()[step.nodes.back()];
  const Channels channels = ChannelsOf(graph, first);
  facts.shape =
      StrCat(ShapeText(graph.shape(first.inputs.front()), channels.in), WindowText(graph, first),
             " -> ", ShapeText(graph.shape(last.output), channels.out));
  return facts;
}

}  // namespace vta::compiler
