// Matrix products, one matrix or many: sums [.., M, N/16, 16], the result row by row. Constant
// right sides lie in the order in which they are read: [N/16][K][16], of int8 by fours,
// [N/16][K/4][16][4]. Those that are computed are read where they lie, or packed for as many rows
// as read them again.
#include <functional>
#include <optional>
#include <span>

#include "compiler/graph/ops.h"
#include "compiler/operators/lowering.h"
#include "compiler/targets/cpu/anchors.h"
#include "compiler/targets/cpu/layout.h"

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

/// The index of one of a batch of matrices, [.., rows, columns], in one for the output: dimensions
/// of 1 serve all.
std::vector<Expr> MatrixAt(const te::Tensor& matrices, std::span<const Expr> batch, const Expr& row,
                           const Expr& column) {
  const size_t batches = matrices.shape().size() - 2;
  std::vector<Expr> at;
  for (size_t d = 0; d < batches; ++d)
    at.push_back(matrices.shape()[d] == 1 ? Expr(0) : batch[batch.size() - batches + d]);
  at.push_back(row);
  at.push_back(column);
  return at;
}

/// A constant right side that serves all of a batch.
const Tensor* OneMatrix(const Graph& graph, const Node& node) {
  const Tensor* weights = graph.constant(node.inputs[1]);
  return weights && weights->shape().size() == 2 ? weights : nullptr;
}

/// The right side in blocks of columns, at [b, c, o, k] of the batch.
using RightSide =
    std::function<Expr(std::span<const Expr>, const Expr&, const Expr&, const Expr&, const Expr&)>;

/// Float32 that a kernel makes: packed, with columns of 0 behind the last, where that many rows
/// read it again or the last block is not whole.
RightSide ComputedSide(const Graph& graph, const Node& node, const te::Tensor& y) {
  constexpr int64_t kReread = 32, kFastBytes = 32 * 1024;
  const Shape& out = graph.shape(node.output);
  const int64_t columns = out.back(), rows = out[out.size() - 2];
  const bool turned = IsByOutput(node), whole = columns % kLanes == 0;
  const bool again =
      rows >= kReread &&
      graph.shape(node.inputs[0]).back() * columns * Bytes(DType::kFloat32) > kFastBytes;
  const auto element = [=](std::span<const Expr> batch, const Expr& c, const Expr& j) {
    return y.At(turned ? MatrixAt(y, batch, j, c) : MatrixAt(y, batch, c, j));
  };
  if (whole && !turned && !again)
    return [=](std::span<const Expr> batch, const Expr& b, const Expr& c, const Expr& o,
               const Expr&) { return element(batch, c, b * kLanes + o); };
  std::vector<te::Axis> axes;
  for (size_t d = 0; d + 2 < out.size(); ++d) axes.emplace_back(out[d]);
  const size_t batches = axes.size();
  axes.insert(axes.end(),
              {{"b", BlocksOf(columns)}, {"c", graph.shape(node.inputs[0]).back()}, {"o", kLanes}});
  const te::Tensor packed = te::Compute(
      std::string(kPackedSide), axes,
      [=](const std::vector<Expr>& at) {
        const Expr j = at[batches] * kLanes + at[batches + 2];
        const Expr value = element(std::span(at).first(batches), at[batches + 1], j);
        return whole ? value : Select(j < Expr(columns), value, loop::FloatConst(0));
      },
      "local");
  return
      [=](std::span<const Expr> batch, const Expr& b, const Expr& c, const Expr& o, const Expr&) {
        std::vector<Expr> at(batch.begin(), batch.end());
        at.insert(at.end(), {b, c, o});
        return packed.At(at);
      };
}

/// Rows of int8 codes as CPUs multiply them by signed ones: 128 higher, for the bias to make up
/// for.
te::Tensor BiasedRows(Operands& operands, ValueId value) {
  const te::Tensor x = operands.Of(value);
  std::vector<te::Axis> axes;
  for (const int64_t extent : x.shape()) axes.emplace_back(extent);
  return te::Compute(
      std::string(kBiasedRows), axes, [&](const std::vector<Expr>& at) { return Biased(x.At(at)); },
      "local");
}

}  // namespace

bool IsProduct(const Graph& graph, const Node& node) {
  if (node.op != Op::kGemm && node.op != Op::kMatMul && node.op != Op::kDenseI8) return false;
  const TensorType &x = graph.type(node.inputs[0]), &y = graph.type(node.inputs[1]);
  if (x.dtype != y.dtype || x.shape.size() < 2 || y.shape.size() < 2 ||
      graph.shape(node.output).back() < kLanes)
    return false;
  if (node.op == Op::kDenseI8)
    return x.dtype == DType::kInt8 && x.shape.back() % kDot == 0 && OneMatrix(graph, node) &&
           TakesBiased(graph, node);
  return x.dtype == DType::kFloat32 && (node.op == Op::kMatMul || !node.Int("trans_a"));
}

Sums DefineProduct(const Graph& graph, const Node& node, Operands& operands) {
  const Shape& out = graph.shape(node.output);
  const bool real = node.op != Op::kDenseI8;
  const int64_t dot = real ? 1 : kDot;
  const te::Tensor x = real ? operands.Of(node.inputs[0]) : BiasedRows(operands, node.inputs[0]);
  RightSide y;
  if (const Tensor* weights = OneMatrix(graph, node)) {
    const te::Tensor packed =
        operands.Constant(graph.value(node.inputs[1]).name,
                          real ? PackedMatrix<float>(*weights, IsByOutput(node), dot)
                               : PackedMatrix<int8_t>(*weights, true, dot));
    y = [=](std::span<const Expr>, const Expr& b, const Expr& c, const Expr& o, const Expr& k) {
      return packed(b, c, o, k);
    };
  } else {
    y = ComputedSide(graph, node, operands.Of(node.inputs[1]));
  }
  const te::ReduceAxis c("c", graph.shape(node.inputs[0]).back() / dot), k("k", dot);
  const loop::DType sum = real ? loop::DType::kFloat32 : loop::DType::kInt32;
  const size_t batches = out.size() - 2;
  std::vector<te::Axis> axes;
  for (size_t d = 0; d < batches; ++d) axes.emplace_back(out[d]);
  axes.insert(axes.end(), {{"i", out[batches]}, {"b", BlocksOf(out.back())}, {"o", kLanes}});
  const te::Tensor sums = te::Compute(
      "sums", axes,
      [&](const std::vector<Expr>& at) {
        const std::span<const Expr> batch = std::span(at).first(batches);
        const Expr a = x.At(MatrixAt(x, batch, at[batches], c * Expr(dot) + k));
        const Expr b = y(batch, at[batches + 1], c, at[batches + 2], k);
        return te::ReduceSum(Cast(sum, a) * Cast(sum, b), {c, k});
      },
      "local");
  const auto at = [sums](const std::vector<Expr>& i) {
    std::vector<Expr> of(i.begin(), i.end() - 1);
    of.push_back(FloorDiv(i.back(), Expr(kLanes)));
    of.push_back(FloorMod(i.back(), Expr(kLanes)));
    return sums.At(of);
  };
  Sums result{{}, {"c", "k"}, true, real ? "" : "vpdpbusd"};
  if (!real) {
    result.value = RequantizedValue(graph, node, operands, sums, at);
    return result;
  }
  const bool gemm = node.op == Op::kGemm;
  const double alpha = gemm ? node.attributes.Double("alpha") : 1;
  const double beta = gemm ? node.attributes.Double("beta") : 0;
  const std::optional<te::Tensor> bias =
      node.inputs.size() < 3 ? std::nullopt : std::optional(operands.Of(node.inputs[2]));
  result.value = te::View("value", out, sum, [=](const std::vector<Expr>& i) {
    const Expr scaled = at(i) * loop::FloatConst(alpha);
    return bias ? scaled + loop::FloatConst(beta) * operators::Broadcast(*bias, i) : scaled;
  });
  return result;
}

}  // namespace vta::compiler::targets
