// Products of a matrix and constant weights: sums [M, N/16, 16], the result row by row. Weights lie
// in the order in which they are read: [N/16][K][16], of int8 by fours, [N/16][K/4][16][4].
#include "compiler/graph/ops.h"
#include "compiler/operators/lowering.h"
#include "compiler/targets/cpu/heads.h"
#include "compiler/targets/cpu/keep.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

/// Weights [K, N] or, where `by_output`, [N, K] -> [N/16, K/dot, 16, dot], filled up with 0.
template <typename T>
Tensor PackedMatrix(const Tensor& weights, bool by_output, int64_t dot) {
  const int64_t k = weights.shape()[by_output ? 1 : 0], n = weights.shape()[by_output ? 0 : 1];
  Tensor packed({weights.dtype(), {BlocksOf(n), k / dot, kLanes, dot}});
  const std::span<const T> from = weights.data<T>();
  const std::span<T> to = packed.mutable_data<T>();
  for (int64_t j = 0; j < n; ++j)
    for (int64_t c = 0; c < k; ++c)
      to[((j / kLanes * (k / dot) + c / dot) * kLanes + j % kLanes) * dot + c % dot] =
          from[by_output ? j * k + c : c * n + j];
  return packed;
}

bool IsByOutput(const Node& node) {
  return node.op == Op::kDenseI8 || (node.op == Op::kGemm && node.Int("trans_b"));
}

}  // namespace

bool IsProduct(const Graph& graph, const Node& node) {
  if (node.op != Op::kGemm && node.op != Op::kMatMul && node.op != Op::kDenseI8) return false;
  const Tensor* weights = graph.constant(node.inputs[1]);
  const TensorType& x = graph.type(node.inputs[0]);
  if (!weights || weights->dtype() != x.dtype || x.shape.size() != 2 ||
      weights->shape().size() != 2 || graph.shape(node.output)[1] < kLanes)
    return false;
  if (node.op == Op::kDenseI8) return x.dtype == DType::kInt8 && x.shape[1] % kDot == 0;
  return x.dtype == DType::kFloat32 && (node.op == Op::kMatMul || !node.Int("trans_a"));
}

Sums DefineProduct(const Graph& graph, const Node& node, Operands& operands) {
  const Tensor& weights = *graph.constant(node.inputs[1]);
  const Shape& out = graph.shape(node.output);
  const bool real = node.op != Op::kDenseI8;
  const int64_t dot = real ? 1 : kDot;
  const te::Tensor x = operands.Of(node.inputs[0]);
  const te::Tensor packed = operands.Constant(
      graph.value(node.inputs[1]).name, real ? PackedMatrix<float>(weights, IsByOutput(node), dot)
                                             : PackedMatrix<int8_t>(weights, true, dot));
  const te::ReduceAxis c("c", packed.shape()[1]), k("k", dot);
  const loop::DType sum = real ? loop::DType::kFloat32 : loop::DType::kInt32;
  const te::Tensor sums = te::Compute(
      "sums", {{"i", out[0]}, {"b", packed.shape()[0]}, {"o", kLanes}},
      [&](Expr i, Expr b, Expr o) {
        const Expr product = Cast(sum, x(i, c * Expr(dot) + k)) * Cast(sum, packed(b, c, o, k));
        return te::ReduceSum(product, {c, k});
      },
      "local");
  const auto at = [sums](const std::vector<Expr>& i) {
    return sums(i[0], FloorDiv(i[1], Expr(kLanes)), FloorMod(i[1], Expr(kLanes)));
  };
  Sums result{{}, {"c", "k"}, true, real ? "" : "sdot"};
  const auto value = [&](loop::DType dtype, te::Tensor::Element element) {
    result.value = te::View("value", out, dtype, std::move(element));
    return result;
  };
  if (!real) {
    operators::Lowering l{{node, {}}, graph.type(node.output), graph.rounding(), {}};
    for (size_t i = 0; i < node.inputs.size(); ++i)
      l.tensors.push_back(i < 2 ? sums : operands.Of(node.inputs[i]));
    return value(loop::DType::kInt8, [l, at](const std::vector<Expr>& i) {
      return operators::RequantChannel(l, at(i), i[1]);
    });
  }
  const bool gemm = node.op == Op::kGemm;
  const double alpha = gemm ? node.attributes.Double("alpha") : 1;
  const double beta = gemm ? node.attributes.Double("beta") : 0;
  if (node.inputs.size() < 3)
    return value(sum, [=](const std::vector<Expr>& i) { return at(i) * loop::FloatConst(alpha); });
  const te::Tensor bias = operands.Of(node.inputs[2]);
  return value(sum, [=](const std::vector<Expr>& i) {
    return at(i) * loop::FloatConst(alpha) + loop::FloatConst(beta) * operators::Broadcast(bias, i);
  });
}

}  // namespace vta::compiler::targets
