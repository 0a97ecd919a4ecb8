#include "compiler/targets/cuda/conv.h"

#include <functional>

#include "compiler/graph/ops.h"
#include "compiler/graph/ops/families.h"
#include "compiler/operators/lowering.h"
#include "compiler/place_lives.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

bool IsReal(const Graph& graph, const Node& node) {
  return graph.type(node.inputs[0]).dtype == DType::kFloat32;
}

/// Of a dense layer: whether the weights lie [O, C].
bool ByOutput(const Graph& graph, const Node& node) {
  return !IsReal(graph, node) || node.Int("trans_b");
}

/// Where the graph has a weight.
struct WeightPlace {
  int64_t channels, taps, outputs;
  int64_t channel_step, tap_step, output_step;
};

WeightPlace WeightPlaceOf(const Graph& graph, const Node& node) {
  const Shape& shape = graph.shape(node.inputs[1]);
  if (shape.size() == 4) {
    const int64_t taps = shape[2] * shape[3];
    return {shape[1], taps, shape[0], taps, 1, shape[1] * taps};
  }
  if (ByOutput(graph, node)) return {shape[1], 1, shape[0], 1, 1, shape[1]};
  return {shape[0], 1, shape[1], shape[1], 1, 1};
}

/// What is summed up: taps of a column, and how many there are.
struct Taps {
  int64_t rows, columns;
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
  return {weights[2], weights[3],
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
      1, 1,
      [=](const Expr& n, const Expr& c, const Expr&, const Expr&, const Expr&) { return x(n, c); },
      [=](const Expr& o, const Expr& c, const Expr&, const Expr&) {
        return by_output ? kernel(o, c) : kernel(c, o);
      }};
}

}  // namespace

std::optional<GpuProduct> ProductOfTaps(const Graph& graph, const Node& node) {
  const size_t rank = graph.shape(node.inputs[0]).size();
  const bool conv =
      (node.op == Op::kConv2d || node.op == Op::kConv2dI8) && rank == 4 && node.Int("groups") == 1;
  const bool dense =
      rank == 2 && (node.op == Op::kDenseI8 || (node.op == Op::kGemm && !node.Int("trans_a")));
  if (!conv && !dense) return {};
  const WeightPlace w = WeightPlaceOf(graph, node);
  const Shape& out = graph.shape(node.output);
  return GpuProduct{.batch = out[0],
                    .outputs = w.outputs,
                    .places = conv ? out[2] * out[3] : 1,
                    .channels = w.channels,
                    .taps = w.taps,
                    .element_bytes = IsReal(graph, node) ? 4 : 1};
}

Tensor WeightsOfTaps(const Graph& graph, const Node& node, const GpuTile& tile) {
  const Tensor& given = *graph.constant(node.inputs[1]);
  const WeightPlace w = WeightPlaceOf(graph, node);
  const int64_t outputs = AlignUp(w.outputs, tile.outputs);
  Tensor packed({given.dtype(), {w.channels * w.taps, outputs}});
  const int64_t size = given.bytes().size() / given.elements();
  for (int64_t c = 0; c < w.channels; ++c)
    for (int64_t k = 0; k < w.taps; ++k)
      for (int64_t o = 0; o < w.outputs; ++o) {
        const int64_t from = c * w.channel_step + k * w.tap_step + o * w.output_step;
        std::copy_n(given.bytes().begin() + from * size, size,
                    packed.mutable_bytes().begin() + ((c * w.taps + k) * outputs + o) * size);
      }
  return packed;
}

te::Tensor DefineProductOfTaps(const Graph& graph, const Node& node,
                               const std::vector<te::Tensor>& inputs, const GpuTile& tile) {
  operators::Lowering l{{node, {}}, graph.type(node.output), graph.rounding(), inputs};
  for (const ValueId input : node.inputs) l.inputs.push_back(&graph.type(input));
  const GpuProduct p = *ProductOfTaps(graph, node);
  const bool real = IsReal(graph, node), dense = l.output.shape.size() == 2;
  const Taps taps = dense ? TapsOfDense(l, ByOutput(graph, node)) : TapsOfConv(l);
  const te::Axis n{"n", p.batch}, o{"o", AlignUp(p.outputs, tile.outputs)},
      places{"p", AlignUp(p.places, tile.places)};
  const te::Tensor columns = te::Compute(
      "columns", {n, {"c", p.channels}, {"ky", taps.rows}, {"kx", taps.columns}, places}, taps.tap,
      "shared");
  const bool packed = graph.constant(node.inputs[1]) != nullptr;
  const te::Tensor weights = te::Compute(
      "weights", {{"k", p.channels * p.taps}, o},
      [&](Expr k, Expr at) {
        if (packed) return inputs[1](k, at);
        const Expr tap = FloorMod(k, Expr(p.taps));
        const Expr weight =
            taps.weight(at, FloorDiv(k, Expr(p.taps)), FloorDiv(tap, Expr(taps.columns)),
                        FloorMod(tap, Expr(taps.columns)));
        return o.extent == p.outputs
                   ? weight
                   : Select(at < Expr(p.outputs), weight, loop::ConstOf(weight.dtype(), 0));
      },
      "shared");
  const int64_t share = p.channels / tile.team;
  const te::ReduceAxis c("c", share), ky("ky", taps.rows), kx("kx", taps.columns);
  const loop::DType sum = real ? loop::DType::kFloat32 : loop::DType::kInt32;
  const te::Tensor sums = te::Compute(
      "sums", {{"s", tile.team}, n, o, places},
      [&](Expr s, Expr n, Expr o, Expr p) {
        const Expr channel = s * share + c;
        const Expr step = (channel * taps.rows + ky) * taps.columns + kx;
        return te::ReduceSum(
            Cast(sum, weights(step, o)) * Cast(sum, columns(n, channel, ky, kx, p)), {c, ky, kx});
      },
      "local");
  te::Tensor total =
      te::View("total", {n.extent, o.extent, places.extent}, sum,
               [=](const std::vector<Expr>& at) { return sums(Expr(0), at[0], at[1], at[2]); });
  if (tile.team > 1) {
    const te::Tensor parts =
        te::Compute("parts", {{"s", tile.team}, n, o, places},
                    [&](Expr s, Expr n, Expr o, Expr p) { return sums(s, n, o, p); });
    const te::ReduceAxis s("s", tile.team);
    total = te::Compute(
        "total", {n, o, places},
        [&](Expr n, Expr o, Expr p) { return te::ReduceSum(parts(s, n, o, p), {s}); }, "local");
  }
  const Shape out = l.output.shape;
  return te::View(
      "value", out, real ? sum : loop::DType::kInt8, [=, &node](const std::vector<Expr>& at) {
        const Expr element = total(at[0], at[1], dense ? Expr(0) : at[2] * out[3] + at[3]);
        if (!real) return operators::RequantChannel(l, element, at[1]);
        const bool biased = node.inputs.size() > 2;
        if (!dense) return biased ? element + l.x(2)(at[1]) : element;
        const Expr product = element * loop::FloatConst(node.attributes.Double("alpha"));
        const Expr beta = loop::FloatConst(node.attributes.Double("beta"));
        return biased ? product + beta * operators::Broadcast(l.x(2), at) : product;
      });
}

}  // namespace vta::compiler::targets
