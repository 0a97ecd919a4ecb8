#include "compiler/targets/cuda/conv.h"

#include <functional>

#include "compiler/graph/ops.h"
#include "compiler/graph/ops/families.h"
#include "compiler/operators/lowering.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

/// What is summed up: taps of a column, and how many there are.
struct Taps {
  int64_t batch, outputs, places, channels, rows, columns;
  std::function<Expr(const Expr& n, const Expr& c, const Expr& ky, const Expr& kx, const Expr& p)>
      tap;
  std::function<Expr(const Expr& o, const Expr& c, const Expr& ky, const Expr& kx)> weight;
};

Taps TapsOfConv(const operators::Lowering& l) {
  const Shape &in = l.shape(0), &weights = l.shape(1), &out = l.output.shape;
  const ops::Window w = ops::ReadWindow(l, {weights[2], weights[3]});
  const te::Tensor &x = l.x(0), &kernel = l.x(1);
  const Expr pad = x.dtype() == loop::DType::kFloat32
                       ? loop::FloatConst(0)
                       : loop::IntConst(x.dtype(), l.Int("pad_value"));
  const int64_t width = out[3], height_in = in[2], width_in = in[3];
  return {out[0],
          out[1],
          out[2] * out[3],
          in[1],
          weights[2],
          weights[3],
          [=](const Expr& n, const Expr& c, const Expr& ky, const Expr& kx, const Expr& p) {
            const Expr row =
                FloorDiv(p, Expr(width)) * w.stride[0] + ky * w.dilation[0] - w.pad_begin[0];
            const Expr column =
                FloorMod(p, Expr(width)) * w.stride[1] + kx * w.dilation[1] - w.pad_begin[1];
            const Expr inside = Expr(0) <= row && row < Expr(height_in) && Expr(0) <= column &&
                                column < Expr(width_in);
            return Select(inside, x(n, c, row, column), pad);
          },
          [=](const Expr& o, const Expr& c, const Expr& ky, const Expr& kx) {
            return kernel(o, c, ky, kx);
          }};
}

Taps TapsOfDense(const operators::Lowering& l, bool by_output) {
  const te::Tensor &x = l.x(0), &kernel = l.x(1);
  return {
      l.output.shape[0],
      l.output.shape[1],
      1,
      l.shape(0)[1],
      1,
      1,
      [=](const Expr& n, const Expr& c, const Expr&, const Expr&, const Expr&) { return x(n, c); },
      [=](const Expr& o, const Expr& c, const Expr&, const Expr&) {
        return by_output ? kernel(o, c) : kernel(c, o);
      }};
}

}  // namespace

bool IsProductOfTaps(const Graph& graph, const Node& node) {
  const size_t rank = graph.shape(node.inputs[0]).size();
  if (node.op == Op::kConv2d || node.op == Op::kConv2dI8)
    return node.Int("groups") == 1 && rank == 4;
  return rank == 2 && (node.op == Op::kDenseI8 || (node.op == Op::kGemm && !node.Int("trans_a")));
}

te::Tensor DefineProductOfTaps(const Graph& graph, const Node& node,
                               const std::vector<te::Tensor>& inputs) {
  operators::Lowering l{{node, {}}, graph.type(node.output), graph.rounding(), inputs};
  for (const ValueId input : node.inputs) l.inputs.push_back(&graph.type(input));
  const bool real = inputs[0].dtype() == loop::DType::kFloat32;
  const bool dense = l.output.shape.size() == 2;
  const Taps taps = dense ? TapsOfDense(l, !real || node.Int("trans_b")) : TapsOfConv(l);
  const te::Tensor columns = te::Compute("columns",
                                         {{"n", taps.batch},
                                          {"c", taps.channels},
                                          {"ky", taps.rows},
                                          {"kx", taps.columns},
                                          {"p", taps.places}},
                                         taps.tap, "shared");
  const te::ReduceAxis c("c", taps.channels), ky("ky", taps.rows), kx("kx", taps.columns);
  const loop::DType sum = real ? loop::DType::kFloat32 : loop::DType::kInt32;
  const te::Tensor sums = te::Compute(
      "sums", {{"n", taps.batch}, {"o", taps.outputs}, {"p", taps.places}},
      [&](Expr n, Expr o, Expr p) {
        return te::ReduceSum(
            Cast(sum, taps.weight(o, c, ky, kx)) * Cast(sum, columns(n, c, ky, kx, p)),
            {c, ky, kx});
      },
      "local");
  const Shape out = l.output.shape;
  return te::View(
      "value", out, real ? sum : loop::DType::kInt8, [=, &node](const std::vector<Expr>& at) {
        const Expr element = sums(at[0], at[1], dense ? Expr(0) : at[2] * out[3] + at[3]);
        if (!real) return operators::RequantChannel(l, element, at[1]);
        const bool biased = node.inputs.size() > 2;
        if (!dense) return biased ? element + l.x(2)(at[1]) : element;
        const Expr product = element * loop::FloatConst(node.attributes.Double("alpha"));
        const Expr beta = loop::FloatConst(node.attributes.Double("beta"));
        return biased ? product + beta * operators::Broadcast(l.x(2), at) : product;
      });
}

}  // namespace vta::compiler::targets
