#include "compiler/graph/facts.h"

#include <algorithm>
#include <optional>

#include "compiler/graph/ops/int8_common.h"
#include "compiler/graph/window_fold.h"

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
  if (node.op == Op::kMatMulI8)
    return {node.Int("groups") * node.Int("depth"), node.Int("groups") * node.Int("outputs")};
  if (node.op != Op::kConv2dI8 && node.op != Op::kDenseI8) return {};
  const Shape& weights = graph.shape(node.inputs[1]);
  return {weights[1] * (node.op == Op::kConv2dI8 ? node.Int("groups") : 1), weights[0]};
}

// The phases that a node interleaves; 1 for others.
int64_t PhasesOf(const Node& node) {
  int64_t phases = 1;
  if (node.op == Op::kDepthToSpace)
    for (const int64_t block : node.Ints("blocks")) phases *= block;
  return phases;
}

// What reads a convolution's outputs as phases, or nullptr.
const Node* InterleaverOf(const Graph& graph, const Node& conv) {
  for (const Node& node : graph.nodes())
    if (node.op == Op::kDepthToSpace && node.inputs[0] == conv.output) return &node;
  return nullptr;
}

int64_t Batch(const Shape& shape) { return shape.size() == 6 ? shape[0] * shape[4] : shape[0]; }

// Taps that are 0 for all outputs complete a folded window, those that are for all outputs of a
// phase the window of phases: they are no work.
int64_t UsefulWeights(const Graph& graph, const Node& conv) {
  const Shape& shape = graph.shape(conv.inputs[1]);
  const Tensor* weights = graph.constant(conv.inputs[1]);
  const bool folded = ReadsFold(graph, conv);  // taps are channels, too
  const Node* interleaves = InterleaverOf(graph, conv);
  if (!weights || !(folded || interleaves)) return Elements(shape);
  const int64_t phases = interleaves ? PhasesOf(*interleaves) : 1;
  const int64_t per_phase = shape[0] / phases / (interleaves ? interleaves->Int("groups") : 1);
  const int64_t count = Elements(shape) / shape[0], taps = folded ? count : shape[2] * shape[3];
  const std::vector<int16_t> data = ops::WeightCodes(*weights);
  std::vector<bool> used(phases * taps);
  for (size_t i = 0; i < data.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (data[i] != 0) used[at / count / per_phase % phases * taps + at % taps] = true;
  }
  return std::ranges::count(used, true) * (shape[0] / phases) * (count / taps);
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

int64_t MacsOf(const Graph& graph, const Node& node) {
  const Shape& out = graph.shape(node.output);
  switch (node.op) {
    case Op::kConv2d:
      return Batch(out) * out[2] * out[3] * Elements(graph.shape(node.inputs[1]));
    case Op::kConv2dI8:
      return Batch(out) * out[2] * out[3] * UsefulWeights(graph, node);
    case Op::kDenseI8:
      return Batch(out) * Elements(graph.shape(node.inputs[1]));
    case Op::kMatMulI8:  // without what fills blocks
      return out[2] * out[3] * node.Int("groups") * node.Int("outputs") * node.Int("depth");
    case Op::kGemm:
    case Op::kMatMul:
      return Elements(out) * graph.shape(node.inputs[0]).back();
    default:
      return 0;
  }
}

isa::LayerFacts FactsOf(const Graph& graph, const Step& step) {
  isa::LayerFacts facts;
  for (NodeId id : step.nodes) {
    const Node& node = graph.nodes()[id];
    facts.op += StrCat(facts.op.empty() ? "" : "+", Spec(node.op).name);
    facts.macs += MacsOf(graph, node);
  }
  const Node& first = graph.nodes()[step.nodes.front()];
  const Node& last = graph.nodes()[step.nodes.back()];
  Channels channels = ChannelsOf(graph, first);
  if (channels.out) *channels.out /= PhasesOf(last);
  facts.shape =
      StrCat(ShapeText(graph.shape(first.inputs.front()), channels.in), WindowText(graph, first),
             " -> ", ShapeText(graph.shape(last.output), channels.out));
  return facts;
}

}  // namespace vta::compiler
