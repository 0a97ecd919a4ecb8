// What computes each channel by itself: depthwise convolutions, pools and means.
#include "compiler/graph/ops.h"
#include "compiler/graph/ops/families.h"
#include "compiler/graph/ops/int8_common.h"
#include "compiler/operators/lowering.h"
#include "compiler/targets/cpu/anchors.h"
#include "compiler/targets/cpu/layout.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

/// The window's taps of an input as it lies.
class Taps {
 public:
  /// `together`: columns of the window, which has a multiple of them.
  Taps(const Graph& graph, const Node& node, Operands& operands, const std::vector<int64_t>& kernel,
       int64_t together = 1)
      : w_(ops::ReadWindow(OpView{node, {}}, kernel)),
        in_(*graph.value(node.inputs[0]).storage),
        x_(operands.Stored(node.inputs[0])),
        p_("p", kernel[0]),
        q_("q", kernel[1] / together),
        k_("k", together) {}

  Expr At(const std::vector<Expr>& at) const {
    return x_(at[0], at[1],
              at[2] * w_.stride[0] + p_ * Expr(w_.dilation[0]) + in_.border[0] - w_.pad_begin[0],
              at[3] * w_.stride[1] + (q_ * Expr(k_.extent()) + k_) * Expr(w_.dilation[1]) +
                  in_.border[1] - w_.pad_begin[1],
              at[4]);
  }
  const te::ReduceAxis& p() const { return p_; }
  const te::ReduceAxis& q() const { return q_; }
  const te::ReduceAxis& k() const { return k_; }
  std::vector<te::ReduceAxis> axes() const { return {p_, q_, k_}; }

 private:
  ops::Window w_;
  Storage in_;
  te::Tensor x_;
  te::ReduceAxis p_, q_, k_;
};

loop::DType SumType(const Graph& graph, const Node& node) {
  return graph.type(node.output).dtype == DType::kFloat32 ? loop::DType::kFloat32
                                                          : loop::DType::kInt32;
}

/// Weights [C, 1, P, Q] -> [C/16, P, Q/together, 16, together], filled up with 0.
template <typename T>
Tensor PackedDepthwise(const Tensor& weights, int64_t together) {
  const Shape& s = weights.shape();
  const int64_t columns = ops::RoundUp(s[3], together);
  Tensor packed({weights.dtype(), {BlocksOf(s[0]), s[2], columns / together, kLanes, together}});
  for (int64_t c = 0; c < s[0]; ++c)
    for (int64_t p = 0; p < s[2]; ++p)
      for (int64_t q = 0; q < s[3]; ++q)
        packed.mutable_data<T>()[((c / kLanes * s[2] + p) * columns + q / together * together) *
                                     kLanes +
                                 c % kLanes * together + q % together] =
            weights.data<T>()[(c * s[2] + p) * s[3] + q];
  return packed;
}

}  // namespace

int64_t ColumnsTogether(const Graph& graph, const Node& node) {
  const bool near = node.Ints("dilations")[1] == 1 && graph.shape(node.inputs[1])[3] > 1;
  return node.op == Op::kConv2dI8 && near ? kDot : 1;
}

Sums DefineDepthwise(const Graph& graph, const Node& node, Operands& operands) {
  const Tensor& weights = *graph.constant(node.inputs[1]);
  const int64_t together = ColumnsTogether(graph, node);
  const Taps taps(graph, node, operands,
                  {weights.shape()[2], ops::RoundUp(weights.shape()[3], together)}, together);
  const te::Tensor packed =
      operands.Constant(graph.value(node.inputs[1]).name,
                        node.op == Op::kConv2d ? PackedDepthwise<float>(weights, together)
                                               : PackedDepthwise<int8_t>(weights, together));
  const loop::DType sum = SumType(graph, node);
  const te::Tensor sums = te::Compute(
      "sums", BlockAxes(graph, node),
      [&](const std::vector<Expr>& at) {
        const Expr weight = packed(at[1], taps.p(), taps.q(), at[4], taps.k());
        return te::ReduceSum(Cast(sum, taps.At(at)) * Cast(sum, weight), taps.axes());
      },
      "local");
  return {ConvolvedValue(graph, node, operands, sums),
          {"p", "q", "k"},
          false,
          together == 1 ? "" : "vpdpbusd_by_lane"};
}

Sums DefineMaxPool(const Graph& graph, const Node& node, Operands& operands) {
  const Taps taps(graph, node, operands, node.Ints("kernel"));
  const te::Tensor sums = te::Compute(
      "sums", BlockAxes(graph, node),
      [&](const std::vector<Expr>& at) { return te::ReduceMax(taps.At(at), taps.axes()); },
      "local");
  const bool biased = graph.value(node.inputs[0]).storage->biased;
  return {te::View("value", graph.shape(node.output), biased ? loop::DType::kInt8 : sums.dtype(),
                   [=](const std::vector<Expr>& at) {
                     return biased ? Unbiased(SumAt(sums, at)) : SumAt(sums, at);
                   }),
          {"p", "q"}};
}

Sums DefineAvgPool(const Graph& graph, const Node& node, Operands& operands) {
  const Taps taps(graph, node, operands, node.Ints("kernel"));
  const loop::DType sum = SumType(graph, node);
  const bool biased = graph.value(node.inputs[0]).storage->biased;
  const te::Tensor sums = te::Compute(
      "sums", BlockAxes(graph, node),
      [&](const std::vector<Expr>& at) {
        const Expr tap = taps.At(at);
        return te::ReduceSum(Cast(sum, biased ? Unbiased(tap) : tap), taps.axes());
      },
      "local");
  operators::Lowering l{{node, {}}, graph.type(node.output), graph.rounding(), {}};
  l.inputs = {&graph.type(node.inputs[0])};
  const auto value = [&](auto element) {
    return te::View("value", graph.shape(node.output), LoopType(l, l.output.dtype), element);
  };
  const std::vector<std::string> reduce = {"p", "q"};
  if (biased) {
    l.tensors = {sums};
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      l.inputs.push_back(&graph.type(node.inputs[i]));
      l.tensors.push_back(operands.Of(node.inputs[i]));
    }
    return {value([=](const std::vector<Expr>& at) {
              return operators::AverageCode(l, SumAt(sums, at), at[2], at[3]);
            }),
            reduce};
  }
  return {value([=](const std::vector<Expr>& at) {
            return SumAt(sums, at) / Cast(sum, operators::CountOfWindow(l, at[2], at[3]));
          }),
          reduce};
}

Sums DefineMean(const Graph& graph, const Node& node, Operands& operands) {
  const Shape& shape = graph.shape(node.inputs[0]);
  const Storage in = *graph.value(node.inputs[0]).storage;
  const te::Tensor x = operands.Stored(node.inputs[0]);
  const te::ReduceAxis p("p", shape[2]), q("q", shape[3]);
  const te::Tensor sums = te::Compute(
      "sums", BlockAxes(graph, node),
      [&](const std::vector<Expr>& at) {
        return te::ReduceSum(
            x(at[0], at[1], p.expr() + in.border[0], q.expr() + in.border[1], at[4]), {p, q});
      },
      "local");
  const Expr count = loop::FloatConst(static_cast<double>(shape[2] * shape[3]));
  return {te::View("value", graph.shape(node.output), sums.dtype(),
                   [=](const std::vector<Expr>& at) { return SumAt(sums, at) / count; }),
          {"p", "q"}};
}

}  // namespace vta::compiler::targets
