// Convolutions with few output channels: their results are no lanes, so lanes are partial sums of
// one result, over the input's channels, or over a window's columns where the input has few
// channels, too. Sums of another order than one after the other.
#include <algorithm>

#include "compiler/graph/ops.h"
#include "compiler/graph/ops/families.h"
#include "compiler/graph/ops/int8_common.h"
#include "compiler/targets/cpu/anchors.h"
#include "compiler/targets/cpu/layout.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

/// Whether lanes are channels of the input; else columns of the window.
bool LanesAreChannels(const Graph& graph, const Node& node) {
  return BlockedLayout(graph.type(node.inputs[0]))->channels == kLanes;
}

/// Weights [O, C, P, Q] -> [O, C/16, P, Q, 16] or [O, C, P, Q/16, 16], 0 where there are none.
Tensor PackedInLanes(const Tensor& weights, bool channels) {
  const Shape& s = weights.shape();
  Tensor packed({weights.dtype(), channels ? Shape{s[0], BlocksOf(s[1]), s[2], s[3], kLanes}
                                           : Shape{s[0], s[1], s[2], BlocksOf(s[3]), kLanes}});
  const std::span<const float> from = weights.data<float>();
  const std::span<float> to = packed.mutable_data<float>();
  const Shape strides = Strides(packed.shape());
  int64_t at = 0;
  for (int64_t o = 0; o < s[0]; ++o)
    for (int64_t c = 0; c < s[1]; ++c)
      for (int64_t p = 0; p < s[2]; ++p)
        for (int64_t q = 0; q < s[3]; ++q) {
          const int64_t lane = channels ? c : q;
          to[o * strides[0] + (channels ? c / kLanes : c) * strides[1] + p * strides[2] +
             (channels ? q : q / kLanes) * strides[3] + lane % kLanes] = from[at++];
        }
  return packed;
}

}  // namespace

bool IsNarrow(const Graph& graph, const Node& node) {
  const Tensor* weights = graph.constant(node.inputs[1]);
  if (!weights || weights->dtype() != DType::kFloat32 || node.Int("groups") != 1 ||
      BlockedLayout(graph.type(node.output))->channels != 1)
    return false;
  return LanesAreChannels(graph, node) ||
         (weights->shape()[3] >= kLanes && node.Ints("dilations")[1] == 1);
}

WindowPads NarrowBorder(const Graph& graph, const Node& node) {
  const std::vector<int64_t>& pads = node.Ints("pads");
  WindowPads border{{pads[0], pads[1], pads[2], pads[3]}, 0};
  if (LanesAreChannels(graph, node)) return border;
  // As far as the lanes of the last window reach, also those of weights that are 0.
  const int64_t columns = (graph.shape(node.output)[3] - 1) * node.Ints("strides")[1] +
                          ops::RoundUp(graph.shape(node.inputs[1])[3], kLanes);
  int64_t& right = border.sides[3];
  right = std::max(right, columns - border.sides[1] - graph.shape(node.inputs[0])[3]);
  return border;
}

Sums DefineNarrow(const Graph& graph, const Node& node, Operands& operands) {
  const OpView view{node, {}};
  const Tensor& weights = *graph.constant(node.inputs[1]);
  const ops::Window w = ops::ReadWindow(view, {weights.shape()[2], weights.shape()[3]});
  const Storage in = *graph.value(node.inputs[0]).storage;
  const bool channels = LanesAreChannels(graph, node);
  const te::Tensor x = operands.Stored(node.inputs[0]);
  const te::Tensor packed =
      operands.Constant(graph.value(node.inputs[1]).name, PackedInLanes(weights, channels));
  const Shape& out = graph.shape(node.output);
  const te::ReduceAxis c("c", packed.shape()[1]), p("p", packed.shape()[2]),
      q("q", packed.shape()[3]), k("k", kLanes);
  const int64_t top = in.border[0] - w.pad_begin[0], left = in.border[1] - w.pad_begin[1];
  const te::Tensor lanes = te::Compute(
      "lanes", {{"n", out[0]}, {"m", out[1]}, {"h", out[2]}, {"w", out[3]}, {"o", kLanes}},
      [&](const std::vector<Expr>& at) {
        const Expr row = at[2] * w.stride[0] + p * Expr(w.dilation[0]) + top;
        const Expr column = at[3] * w.stride[1] + left;
        const Expr a = channels ? x(at[0], c, row, column + q * Expr(w.dilation[1]), at[4])
                                : x(at[0], c, row, column + q * Expr(kLanes) + at[4], Expr(0));
        return te::ReduceSum(a * packed(at[1], c, p, q, at[4]), {c, p, q});
      },
      "local");
  const te::Tensor sums = te::Compute(
      "sums", {{"n", out[0]}, {"m", out[1]}, {"h", out[2]}, {"w", out[3]}},
      [&](Expr n, Expr m, Expr h, Expr column) {
        return te::ReduceSum(lanes(n, m, h, column, k), {k});
      },
      "local");
  Sums result{.narrow = true};
  if (node.inputs.size() < 3) {
    result.value = te::View("value", out, sums.dtype(),
                            [=](const std::vector<Expr>& at) { return sums.At(at); });
  } else {
    const te::Tensor bias = operands.Of(node.inputs[2]);
    result.value = te::View("value", out, sums.dtype(),
                            [=](const std::vector<Expr>& at) { return sums.At(at) + bias(at[1]); });
  }
  return result;
}

}  // namespace vta::compiler::targets
