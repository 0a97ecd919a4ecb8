#include "compiler/targets/cuda/conv.h"

#include "compiler/graph/ops.h"
#include "compiler/graph/ops/families.h"
#include "compiler/operators/lowering.h"

namespace vta::compiler::targets {

using te::Expr;

bool IsProductOfTaps(const Graph& graph, const Node& node) {
  return (node.op == Op::kConv2d || node.op == Op::kConv2dI8) && node.Int("groups") == 1 &&
         graph.shape(node.inputs[0]).size() == 4;
}

te::Tensor DefineProductOfTaps(const Graph& graph, const Node& node,
                               const std::vector<te::Tensor>& inputs) {
  operators::Lowering l{{node, {}}, graph.type(node.output), graph.rounding(), inputs};
  const Shape &in = graph.shape(node.inputs[0]), &out = graph.shape(node.output),
              &weights = graph.shape(node.inputs[1]);
  const ops::Window w = ops::ReadWindow(l, {weights[2], weights[3]});
  const bool real = node.op == Op::kConv2d;
  const te::Tensor &x = inputs[0], &kernel = inputs[1];
  const Expr pad = real ? loop::FloatConst(0) : loop::IntConst(x.dtype(), node.Int("pad_value"));
  const te::Tensor columns = te::Compute(
      "columns",
      {{"n", out[0]}, {"c", in[1]}, {"ky", weights[2]}, {"kx", weights[3]}, {"p", out[2] * out[3]}},
      [&](Expr n, Expr c, Expr ky, Expr kx, Expr p) {
        const Expr row =
            FloorDiv(p, Expr(out[3])) * w.stride[0] + ky * w.dilation[0] - w.pad_begin[0];
        const Expr column =
            FloorMod(p, Expr(out[3])) * w.stride[1] + kx * w.dilation[1] - w.pad_begin[1];
        const Expr inside =
            Expr(0) <= row && row < Expr(in[2]) && Expr(0) <= column && column < Expr(in[3]);
        return Select(inside, x(n, c, row, column), pad);
      },
      "shared");
  const te::ReduceAxis c("c", in[1]), ky("ky", weights[2]), kx("kx", weights[3]);
  const loop::DType sum = real ? loop::DType::kFloat32 : loop::DType::kInt32;
  const te::Tensor sums = te::Compute(
      "sums", {{"n", out[0]}, {"o", out[1]}, {"p", out[2] * out[3]}},
      [&](Expr n, Expr o, Expr p) {
        return te::ReduceSum(Cast(sum, kernel(o, c, ky, kx)) * Cast(sum, columns(n, c, ky, kx, p)),
                             {c, ky, kx});
      },
      "local");
  return te::View("value", out, real ? sum : loop::DType::kInt8,
                  [=, &graph, &node](const std::vector<Expr>& at) {
                    const Expr element = sums(at[0], at[1], at[2] * out[3] + at[3]);
                    if (!real) return operators::RequantChannel(l, element, at[1]);
                    return node.inputs.size() < 3 ? element : element + l.x(2)(at[1]);
                  });
}

}  // namespace vta::compiler::targets
