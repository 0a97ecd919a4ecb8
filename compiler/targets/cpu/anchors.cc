#include "compiler/targets/cpu/anchors.h"

#include <algorithm>
#include <limits>

#include "compiler/graph/ops.h"
#include "compiler/graph/ops/families.h"
#include "compiler/graph/ops/int8_common.h"
#include "compiler/operators/lowering.h"
#include "compiler/targets/cpu/layout.h"
#include "compiler/targets/cpu/winograd.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

bool HasWeights(const Graph& graph, const Node& node) {
  const Tensor* weights = graph.constant(node.inputs[1]);
  return weights && weights->dtype() == graph.type(node.inputs[0]).dtype;
}

bool IsContraction(const Graph& graph, const Node& node) {
  return HasWeights(graph, node) && node.Int("groups") == 1;
}

bool IsDepthwise(const Graph& graph, const Node& node) {
  const int64_t channels = graph.shape(node.inputs[0])[1];
  return HasWeights(graph, node) && node.Int("groups") == channels &&
         graph.shape(node.output)[1] == channels;
}

bool IsChannelwise(const Graph& graph, const Node& node) {
  const std::optional<Storage> in = BlockedLayout(graph.type(node.inputs[0]));
  return in && in->channels == kLanes;
}

bool IsSpatialMean(const Graph& graph, const Node& node) {
  return IsChannelwise(graph, node) && node.Int("keepdims") &&
         node.Ints("axes") == std::vector<int64_t>{2, 3};
}

WindowPads PadsOf(const Node& node, double fill) {
  const std::vector<int64_t>& pads = node.Ints("pads");
  return {{pads[0], pads[1], pads[2], pads[3]}, fill};
}

WindowPads ZeroBorder(const Graph&, const Node& node) { return PadsOf(node, 0); }
WindowPads CodeBorder(const Graph&, const Node& node) {
  return PadsOf(node, static_cast<double>(node.Int("pad_value")));
}
/// As far as the last window's columns reach, also those of weights that are 0.
WindowPads DepthwiseBorder(const Graph& graph, const Node& node) {
  WindowPads border = CodeBorder(graph, node);
  const int64_t together = ColumnsTogether(graph, node);
  if (together == 1) return border;
  const int64_t columns = (graph.shape(node.output)[3] - 1) * node.Ints("strides")[1] +
                          ops::RoundUp(graph.shape(node.inputs[1])[3], together);
  int64_t& right = border.sides[3];
  right = std::max(right, columns - border.sides[1] - graph.shape(node.inputs[0])[3]);
  return border;
}
WindowPads LeastBorder(const Graph& graph, const Node& node) {
  const bool real = graph.type(node.output).dtype == DType::kFloat32;
  return PadsOf(node, real ? std::numeric_limits<float>::lowest() : -128);
}
WindowPads NoBorder(const Graph&, const Node&) { return {}; }

struct Row {
  Op op;
  Anchor anchor;
  bool is_fast = false;       // Arithmetic::kFast
  int64_t channels = kLanes;  // of the blocks that it writes
};

constexpr Row kAnchors[] = {
    {Op::kConv2d, {IsWinograd, WinogradBorder, DefineWinograd}, true},
    {Op::kConv2d, {IsContraction, ZeroBorder, DefineContraction}},
    {Op::kConv2d, {IsNarrow, NarrowBorder, DefineNarrow}, true, 1},
    {Op::kConv2d, {IsDepthwise, ZeroBorder, DefineDepthwise}},
    {Op::kConv2dI8, {IsContraction, CodeBorder, DefineContraction}},
    {Op::kConv2dI8, {IsDepthwise, DepthwiseBorder, DefineDepthwise}},
    {Op::kMaxPool, {IsChannelwise, LeastBorder, DefineMaxPool}},
    {Op::kMaxPoolI8, {IsChannelwise, LeastBorder, DefineMaxPool}},
    {Op::kAvgPool, {IsChannelwise, ZeroBorder, DefineAvgPool}},
    {Op::kAvgPoolI8, {IsChannelwise, CodeBorder, DefineAvgPool}},
    {Op::kReduceMean, {IsSpatialMean, NoBorder, DefineMean}},
};

}  // namespace

const Anchor* FindAnchor(const Graph& graph, const Node& node, Arithmetic arithmetic) {
  for (const Row& row : kAnchors) {
    if (row.op != node.op || (row.is_fast && arithmetic == Arithmetic::kExact)) continue;
    const std::optional<Storage> in = BlockedLayout(graph.type(node.inputs[0]));
    const std::optional<Storage> out = BlockedLayout(graph.type(node.output));
    if (in && out && out->channels == row.channels && row.anchor.takes(graph, node))
      return &row.anchor;
  }
  return nullptr;
}

Expr SumAt(const te::Tensor& sums, const std::vector<Expr>& at) {
  const int64_t lanes = sums.shape()[4];
  if (lanes == kLanes)
    return sums(at[0], FloorDiv(at[1], Expr(kLanes)), at[2], at[3], FloorMod(at[1], Expr(kLanes)));
  const Expr sum = sums(at[0], Expr(0), at[2], at[3], FloorMod(at[1], Expr(lanes)));
  return Select(at[1] < Expr(lanes), sum, loop::ConstOf(sum.dtype(), 0));
}

std::vector<te::Axis> BlockAxes(const Graph& graph, const Node& node) {
  const Shape& out = graph.shape(node.output);
  return {{"n", out[0]}, {"b", BlocksOf(out[1])}, {"h", out[2]}, {"w", out[3]}, {"o", kLanes}};
}

te::Tensor ConvolvedValue(const Graph& graph, const Node& node, Operands& operands,
                          const te::Tensor& sums) {
  const auto sum_at = [=](const std::vector<Expr>& at) { return SumAt(sums, at); };
  if (node.op == Op::kConv2dI8) return RequantizedValue(graph, node, operands, sums, sum_at);
  const Shape& out = graph.shape(node.output);
  if (node.inputs.size() < 3) return te::View("value", out, sums.dtype(), sum_at);
  const te::Tensor bias = operands.FilledUp(node.inputs[2]);
  return te::View("value", out, sums.dtype(),
                  [=](const std::vector<Expr>& at) { return sum_at(at) + bias(at[1]); });
}

te::Tensor RequantizedValue(const Graph& graph, const Node& node, Operands& operands,
                            const te::Tensor& sums, te::Tensor::Element sum_at) {
  Tensor bias = BiasOfBiased(graph, node);
  operators::Lowering l{{node, {}}, graph.type(node.output), graph.rounding(), {}};
  const bool narrow = ScalesFit(graph, node, bias);
  l.tensors = {sums, sums, operands.FilledUp(graph.value(node.inputs[2]).name, std::move(bias)),
               operands.FilledUp(node.inputs[3]), operands.FilledUp(node.inputs[4])};
  return te::View("value", graph.shape(node.output), loop::DType::kInt8,
                  [=](const std::vector<Expr>& at) {
                    return narrow ? operators::RequantNarrow(l, sum_at(at), at[1])
                                  : operators::RequantChannel(l, sum_at(at), at[1]);
                  });
}

}  // namespace vta::compiler::targets
