// Convolutions over all channels: sums [n, b, h, w, o] of products over blocks of input channels,
// window rows and columns, and channels of a block. Weights lie in the order in which they are
// read: [b][..][..][..][..][o], of int8 by fours, [..][o][4]. Of no more than half a block of
// channels in float only that half is summed.
#include <numeric>

#include "compiler/graph/ops.h"
#include "compiler/graph/ops/families.h"
#include "compiler/targets/cpu/anchors.h"
#include "compiler/targets/cpu/layout.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

/// What the reduction runs over: channel = (outer * inner + i) * dot + k, for each tap.
struct Reduced {
  int64_t outer, inner, dot;
};

constexpr int64_t kHalf = kLanes / 2;

/// Weights [O, C, P, Q] -> [O/lanes, outer, P, Q, inner, lanes, dot], 0 where there are none.
template <typename T>
Tensor Packed(const Tensor& weights, const Reduced& r, int64_t lanes) {
  const Shape& s = weights.shape();
  const int64_t blocks = (s[0] + lanes - 1) / lanes;
  Tensor packed({weights.dtype(), {blocks, r.outer, s[2], s[3], r.inner, lanes, r.dot}});
  const std::span<const T> from = weights.data<T>();
  const std::span<T> to = packed.mutable_data<T>();
  const Shape strides = Strides(packed.shape());
  for (int64_t o = 0; o < s[0]; ++o)
    for (int64_t c = 0; c < s[1]; ++c)
      for (int64_t tap = 0; tap < s[2] * s[3]; ++tap) {
        const int64_t group = c / r.dot;
        to[o / lanes * strides[0] + group / r.inner * strides[1] + tap * strides[3] +
           group % r.inner * strides[4] + o % lanes * strides[5] + c % r.dot] =
            from[(o * s[1] + c) * s[2] * s[3] + tap];
      }
  return packed;
}

}  // namespace

Sums DefineContraction(const Graph& graph, const Node& node, Operands& operands) {
  const OpView view{node, {}};
  const Tensor& weights = *graph.constant(node.inputs[1]);
  const ops::Window w = ops::ReadWindow(view, {weights.shape()[2], weights.shape()[3]});
  const bool real = node.op == Op::kConv2d;
  const Storage in = *graph.value(node.inputs[0]).storage;
  const int64_t channels = weights.shape()[1], dot = real ? 1 : kDot;
  const int64_t lanes = real && weights.shape()[0] <= kHalf ? kHalf : kLanes;
  // Blocks, or else the largest parts of them that all channels consist of. Of parts of one group
  // all are a tap's: a tap of a row that stays for the next ones would take too many registers.
  const int64_t groups = (channels + dot - 1) / dot, block_groups = in.channels / dot;
  const int64_t part = std::gcd(groups, block_groups), inner = part == 1 ? groups : part;
  const Reduced r{groups / inner, inner, dot};
  const te::Tensor x = operands.Stored(node.inputs[0]);
  const te::Tensor packed =
      operands.Constant(graph.value(node.inputs[1]).name, real ? Packed<float>(weights, r, lanes)
                                                               : Packed<int8_t>(weights, r, lanes));
  const te::ReduceAxis c("c", r.outer), p("p", w.kernel[0]), q("q", w.kernel[1]), i("i", r.inner),
      k("k", r.dot);
  const int64_t top = in.border[0] - w.pad_begin[0], left = in.border[1] - w.pad_begin[1];
  const loop::DType sum = real ? loop::DType::kFloat32 : loop::DType::kInt32;
  std::vector<te::Axis> axes = BlockAxes(graph, node);
  axes.back() = {"o", lanes};
  const te::Tensor sums = te::Compute(
      "sums", axes,
      [&](const std::vector<Expr>& at) {
        const Expr group = c * Expr(r.inner) + i, size(block_groups);
        const Expr lane = FloorMod(group, size) * r.dot + k;
        const Expr a =
            x(at[0], FloorDiv(group, size), at[2] * w.stride[0] + p * Expr(w.dilation[0]) + top,
              at[3] * w.stride[1] + q * Expr(w.dilation[1]) + left, lane);
        const Expr b = packed(at[1], c, p, q, i, at[4], k);
        return te::ReduceSum(Cast(sum, a) * Cast(sum, b), {c, p, q, i, k});
      },
      "local");
  return {ConvolvedValue(graph, node, operands, sums),
          {"c", "p", "q", "i", "k"},
          true,
          real ? "" : "vpdpbusd",
          false,
          false,
          lanes};
}

}  // namespace vta::compiler::targets
