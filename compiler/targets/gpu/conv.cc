#include "compiler/targets/gpu/conv.h"

#include <functional>
#include <utility>

#include "compiler/graph/ops.h"
#include "compiler/graph/ops/families.h"
#include "compiler/memory_planner.h"
#include "compiler/operators/lowering.h"
#include "compiler/targets/codes.h"
#include "compiler/targets/gpu/warp_product.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

using te::Expr;

namespace {

bool IsReal(const Graph& graph, const Node& node) {
  return graph.type(node.inputs[0]).dtype == DType::kFloat32;
}

bool IsConv(const Node& node) { return node.op == Op::kConv2d || node.op == Op::kConv2dI8; }

/// Of a dense layer: whether the weights lie [O, C].
bool ByOutput(const Node& node) {
  return node.op == Op::kDenseI8 || (node.op == Op::kGemm && node.Int("trans_b"));
}

/// Windows that go further leave out most of the lines that they pass.
constexpr int64_t kMostLineStride = 2;

/// From so many rows on they are places; channels of these are filled up with 0 to a number that
/// has parts, if they are not few.
constexpr int64_t kFewestRows = 4, kFewChannels = 32, kChannelsOfRows = 16;

/// Products of as many matrices on either side.
bool IsBatched(const Graph& graph, const Node& node) {
  if (node.op != Op::kMatMul) return false;
  const Shape &x = graph.shape(node.inputs[0]), &y = graph.shape(node.inputs[1]);
  return x.size() == y.size() && x.size() >= 2 && IsReal(graph, node) &&
         std::equal(x.begin(), x.end() - 2, y.begin());
}

/// Where the graph has a weight.
struct WeightPlace {
  int64_t channels, taps, outputs;
  int64_t channel_step, tap_step, output_step;
};

WeightPlace WeightPlaceOf(const Graph& graph, const Node& node) {
  const Shape& shape = graph.shape(node.inputs[1]);
  if (IsConv(node)) {
    const int64_t taps = shape[2] * shape[3];
    return {shape[1], taps, shape[0], taps, 1, shape[1] * taps};
  }
  if (ByOutput(node)) return {shape[1], 1, shape[0], 1, 1, shape[1]};
  const int64_t channels = shape.end()[-2], outputs = shape.back();
  return {channels, 1, outputs, outputs, 1, 1};
}

/// Whether places of the result are those of the input, a multiple of four.
bool GoesStraight(const ops::Window& w, const Shape& in, const Shape& out) {
  return w.kernel[0] * w.kernel[1] == 1 && w.stride[0] == 1 && w.stride[1] == 1 &&
         w.pad_begin[0] == 0 && w.pad_begin[1] == 0 && in[2] == out[2] && in[3] == out[3] &&
         out[2] * out[3] % kQuad == 0;
}

/// The same with taps as channels, filled up to whole steps of warps' products.
GpuProduct WithTapsAsChannels(GpuProduct p) {
  const int64_t whole = AlignUp(p.channels, p.in_word);
  p.of_tap = whole;
  p.channels = 0;  // of which every step is
  p.channels = AlignUp(whole * p.taps, TensorStepOf(p).channels());
  p.taps = 1;
  p.lines.reset();
  return p;
}

/// What is summed up: taps of a column, and how many there are.
struct Taps {
  int64_t rows, columns;
  std::function<Expr(const Expr& n, const Expr& c, const Expr& ky, const Expr& kx, const Expr& p)>
      tap;
  std::function<Expr(const Expr& n, const Expr& o, const Expr& c, const Expr& ky, const Expr& kx)>
      weight;
};

/// Channels of an element of a product's left factors.
int64_t ChannelsOf(const te::Tensor& x, const GpuProduct& product) {
  return x.dtype() == loop::DType::kInt32 ? product.in_word : 1;
}

/// What lies around an input.
Expr PadOf(const operators::Lowering& l) {
  const loop::DType type = l.x(0).dtype();
  if (l.inputs[0]->dtype == DType::kFloat32) return loop::ConstOf(type, 0);
  const int64_t code = l.Int("pad_value") + (type == loop::DType::kInt8 ? 0 : 128);
  constexpr uint32_t kEach = 0x01010101u;
  return loop::IntConst(type, type == loop::DType::kInt32
                                  ? static_cast<int32_t>(static_cast<uint32_t>(code) * kEach)
                                  : code);
}

Taps TapsOfConv(const operators::Lowering& l, const GpuProduct& product) {
  const Shape &in = l.shape(0), &weights = l.shape(1), &out = l.output.shape;
  const ops::Window w = ops::ReadWindow(l, {weights[2], weights[3]});
  const te::Tensor &x = l.x(0), &kernel = l.x(1);
  const Expr pad = PadOf(l);
  const int64_t width = out[3], height_in = in[2], width_in = in[3], channels = x.shape()[1];
  const auto weight = [=](const Expr&, const Expr& o, const Expr& c, const Expr& ky,
                          const Expr& kx) { return kernel(o, c, ky, kx); };
  const int64_t of_image = product.places / product.images;
  if (GoesStraight(w, in, out))
    return {1, 1,
            [=](const Expr& n, const Expr& c, const Expr&, const Expr&, const Expr& p) {
              // All of four are there, or none is.
              const Expr quad = FloorDiv(p, Expr(kQuad)), quads(of_image / kQuad);
              Expr inside = quad < Expr(product.places / kQuad);
              if (product.of_tap > 0) inside = inside && c < Expr(channels);
              Expr image = n, place = p;
              if (product.images > 1) {
                image = FloorDiv(quad, quads);
                place = FloorMod(quad, quads) * kQuad + FloorMod(p, Expr(kQuad));
              }
              return Select(inside,
                            x(image, c, FloorDiv(place, Expr(width)), FloorMod(place, Expr(width))),
                            pad);
            },
            weight};
  const int64_t height_of = weights[2], width_of = weights[3];
  const auto tap = [=](const Expr& of_batch, const Expr& c, const Expr& ky, const Expr& kx,
                       const Expr& place, Expr is_tap) {
    Expr n = of_batch, p = place;
    if (product.images > 1) {
      n = FloorDiv(place, Expr(of_image));
      p = FloorMod(place, Expr(of_image));
      const Expr is_image = n < Expr(product.images);
      is_tap = is_tap ? is_tap && is_image : is_image;
    }
    const Expr row = FloorDiv(p, Expr(width)) * w.stride[0] + ky * w.dilation[0] - w.pad_begin[0];
    const Expr column =
        FloorMod(p, Expr(width)) * w.stride[1] + kx * w.dilation[1] - w.pad_begin[1];
    const Expr inside =
        Expr(0) <= row && row < Expr(height_in) && Expr(0) <= column && column < Expr(width_in);
    return Select(is_tap ? is_tap && inside : inside, x(n, c, row, column), pad);
  };
  if (product.of_tap == 0)
    return {height_of, width_of,
            [=](const Expr& n, const Expr& c, const Expr& ky, const Expr& kx, const Expr& p) {
              return tap(n, c, ky, kx, p, {});
            },
            weight};
  return {1, 1,
          [=](const Expr& n, const Expr& c, const Expr&, const Expr&, const Expr& p) {
            const Expr k = FloorDiv(c, Expr(channels)), columns(width_of);
            return tap(n, FloorMod(c, Expr(channels)), FloorDiv(k, columns), FloorMod(k, columns),
                       p, k < Expr(height_of * width_of));
          },
          weight};
}

Taps TapsOfDense(const operators::Lowering& l, const GpuProduct& product, bool by_output) {
  const te::Tensor &x = l.x(0), &kernel = l.x(1);
  // Of words both are counted in those.
  const int64_t given = x.shape().back(), all = product.channels / ChannelsOf(x, product),
                channels = l.shape(0).back();
  return {1, 1,
          [=](const Expr& n, const Expr& c, const Expr&, const Expr&, const Expr& p) {
            if (!product.rows) return x(n, c);
            std::vector<Expr> at = IndexInBatch(x.shape(), n);
            at.insert(at.end(), {p, c});
            Expr inside = p < Expr(product.places);
            if (given < all) inside = inside && c < Expr(given);
            return Select(inside, x.At(at), loop::ConstOf(x.dtype(), 0));
          },
          [=](const Expr& n, const Expr& o, const Expr& c, const Expr&, const Expr&) {
            std::vector<Expr> at = IndexInBatch(kernel.shape(), n);
            at.insert(at.end(), {by_output ? o : c, by_output ? c : o});
            if (channels == product.channels) return kernel.At(at);
            return Select(c < Expr(channels), kernel.At(at), loop::ConstOf(kernel.dtype(), 0));
          }};
}

}  // namespace

te::Tensor FactorsOf(const Graph& graph, const Node& node, const GpuProduct& product,
                     const GpuTile& tile, const te::Tensor& x,
                     const std::optional<te::Tensor>& stored) {
  if (tile.tensor && product.in_word > 1 && stored) return *stored;
  if (!TakesBiased(graph, node)) return x;
  if (!tile.tensor)
    return te::View("factors", x.shape(), loop::DType::kUint8,
                    [=](const std::vector<Expr>& at) { return Biased(x.At(at)); });
  VTA_CHECK(x.shape().size() == 2, node.name);
  const int64_t channels = x.shape()[1];
  return te::View("factors", {x.shape()[0], (channels + kCodesOfWord - 1) / kCodesOfWord},
                  loop::DType::kInt32, [=](const std::vector<Expr>& at) {
                    const auto byte = [&](const Expr& c) { return Biased(x.At({at[0], c})); };
                    return WordAt(at[1], channels, byte);
                  });
}

std::vector<Expr> IndexInBatch(const Shape& shape, const Expr& n) {
  std::vector<Expr> at(shape.size() - 2);
  Expr rest = n;
  for (size_t d = at.size(); d-- > 0;) {
    at[d] = d == 0 ? rest : FloorMod(rest, Expr(shape[d]));
    rest = FloorDiv(rest, Expr(shape[d]));
  }
  return at;
}

Expr NumberInBatch(const Shape& shape, const std::vector<Expr>& at) {
  Expr n(0);
  for (size_t d = 0; d + 2 < shape.size(); ++d) n = n * shape[d] + at[d];
  return n;
}

std::optional<GpuProduct> ProductOfTaps(const Graph& graph, const Node& node,
                                        const isa::GpuRow& gpu, isa::Precision precision) {
  const size_t rank = graph.shape(node.inputs[0]).size();
  const bool conv = IsConv(node) && rank == 4 && node.Int("groups") == 1;
  const bool dense =
      rank == 2 && (node.op == Op::kDenseI8 || (node.op == Op::kGemm && !node.Int("trans_a")));
  const bool batched = IsBatched(graph, node);
  if (!conv && !dense && !batched) return {};
  const WeightPlace w = WeightPlaceOf(graph, node);
  const Shape& out = graph.shape(node.output);
  std::optional<GpuProduct::Lines> lines;
  bool quads = false;
  if (conv) {
    const Shape& weights = graph.shape(node.inputs[1]);
    const ops::Window window = ops::ReadWindow({node, {}}, {weights[2], weights[3]});
    quads = GoesStraight(window, graph.shape(node.inputs[0]), out);
    // Of narrower ones a warp would have no places side by side.
    if (w.taps > 1 && out[3] > kTensorPlaces - kTensorPlaces / kTensorThreads &&
        window.stride[0] == window.stride[1] && window.stride[0] <= kMostLineStride &&
        window.dilation[0] == 1 && window.dilation[1] == 1)
      lines = {out[3], out[2], weights[3], weights[2], window.stride[0]};
  }
  const bool rows = batched || (dense && out[0] >= kFewestRows);
  const int64_t matrices = rank > 1 ? Elements(Shape(out.begin(), out.end() - 2)) : 1;
  GpuProduct product{.batch = rows ? matrices : out[0],
                     .outputs = w.outputs,
                     .places = conv   ? out[2] * out[3]
                               : rows ? out.end()[-2]
                                      : 1,
                     .channels = rows && w.channels > kFewChannels
                                     ? AlignUp(w.channels, kChannelsOfRows)
                                     : w.channels,
                     .taps = w.taps,
                     .element_bytes = IsReal(graph, node) ? 4 : 1,
                     .precision = precision,
                     .lines = lines,
                     .quads = quads,
                     .rows = rows,
                     .own_weights = batched};
  const bool suits =
      IsReal(graph, node) ? precision != isa::Precision::kFp32 : TakesBiased(graph, node);
  product.in_warps = gpu.has_warp_products && suits && HasPackedWeights(graph, node, product);
  if (product.in_warps && !IsReal(graph, node)) product.in_word = kCodesOfWord;
  if (const auto& lies = graph.value(node.inputs[0]).storage; product.in_warps && lies)
    product.in_word = lies->channels;
  if (!product.has_tensor()) product.lines.reset();
  const GpuProduct of_image = product;
  if (conv && !product.lines) {
    product.images = std::exchange(product.batch, 1);
    product.places *= product.images;
  }
  if (conv && product.in_warps && !product.has_tensor())
    if (const GpuProduct other = WithTapsAsChannels(of_image); other.has_tensor()) product = other;
  if (!IsReal(graph, node) || !product.has_tensor()) product.precision = isa::Precision::kFp32;
  return product;
}

bool HasPackedWeights(const Graph& graph, const Node& node, const GpuProduct& product) {
  return graph.constant(node.inputs[1]) && !product.own_weights;
}

Tensor WeightsOfTaps(const Graph& graph, const Node& node, const GpuProduct& product,
                     const GpuTile& tile) {
  const Tensor& given = *graph.constant(node.inputs[1]);
  const WeightPlace w = WeightPlaceOf(graph, node);
  if (tile.tensor) {
    return WarpWeights(product, tile, [&](int64_t o, int64_t c, int64_t k) {
      if (product.of_tap > 0) k = c / product.of_tap, c %= product.of_tap;
      const int64_t at = c * w.channel_step + k * w.tap_step + o * w.output_step;
      return c < w.channels && k < w.taps ? static_cast<float>(given.At(at)) : 0;
    });
  }
  const int64_t outputs = AlignUp(w.outputs, tile.outputs);
  Tensor packed({given.dtype(), {product.channels * w.taps, outputs}});
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

namespace {

/// The input with what is around it, [N, C, H, S, W/S], as far as these lines of the result need
/// it: of a line every S-th place, the stride, from each of the first S on.
te::Tensor LinesOfInput(const operators::Lowering& l, const GpuProduct::Lines& lines,
                        const std::vector<te::Axis>& places) {
  const Shape& in = l.shape(0);
  const te::Tensor& x = l.x(0);
  const ops::Window w = ops::ReadWindow(l, {lines.window_height, lines.window_width});
  return te::Compute(
      "columns",
      {{"n", in[0]},
       {"c", x.shape()[1]},
       {"y", lines.lines_for(places[0].extent)},
       {"s", lines.stride},
       {"x", lines.places_for(places[1].extent)}},
      [&](Expr n, Expr c, Expr y, Expr s, Expr at) {
        const Expr row = y - w.pad_begin[0], column = at * lines.stride + s - w.pad_begin[1];
        const Expr inside =
            Expr(0) <= row && row < Expr(in[2]) && Expr(0) <= column && column < Expr(in[3]);
        return Select(inside, x(n, c, row, column), PadOf(l));
      },
      "shared");
}

/// As they lie.
te::Tensor CopyOfWeights(const te::Tensor& packed) {
  std::vector<te::Axis> axes;
  for (const int64_t extent : packed.shape()) axes.emplace_back(extent);
  return te::Compute(
      "weights", axes, [&](const std::vector<Expr>& at) { return packed.At(at); }, "shared");
}

/// As the node has them, "weights" [N, K, O] of each of the batch or [K, O] of all, filled up with
/// 0 to whole tiles.
te::Tensor WeightsOfNode(const Taps& taps, const GpuProduct& p, const te::Axis& n,
                         const te::Axis& o) {
  std::vector<te::Axis> axes = {{"k", p.channels * p.taps}, o};
  if (p.own_weights) axes.insert(axes.begin(), n);
  return te::Compute(
      "weights", axes,
      [&](const std::vector<Expr>& at) {
        const Expr &k = at.end()[-2], &output = at.back(), tap = FloorMod(k, Expr(p.taps));
        const Expr weight =
            taps.weight(p.own_weights ? at[0] : Expr(0), output, FloorDiv(k, Expr(p.taps)),
                        FloorDiv(tap, Expr(taps.columns)), FloorMod(tap, Expr(taps.columns)));
        if (o.extent == p.outputs) return weight;
        // Where fours are whole all of one are there, or none is.
        const Expr quad(p.outputs % kQuad == 0 ? kQuad : 1);
        return Select(FloorDiv(output, quad) < FloorDiv(Expr(p.outputs), quad), weight,
                      loop::ConstOf(weight.dtype(), 0));
      },
      "shared");
}

/// The same as WarpSums, each of one thread: "sums" [team, N, O, P].
ProductElement ThreadSums(const te::Tensor& weights, const te::Tensor& columns, const GpuProduct& p,
                          const GpuTile& tile) {
  const std::vector<int64_t>& shape = columns.shape();  // N, KH, KW, C, P
  const int64_t share = p.channels / tile.team;
  const te::ReduceAxis c("c", share), ky("ky", shape[1]), kx("kx", shape[2]);
  const loop::DType sum =
      columns.dtype() == loop::DType::kFloat32 ? columns.dtype() : loop::DType::kInt32;
  const te::Tensor sums = te::Compute(
      "sums", {{"s", tile.team}, {"n", shape[0]}, {"o", weights.shape().back()}, {"p", shape[4]}},
      [&](Expr s, Expr n, Expr o, Expr p) {
        const Expr channel = s * share + c;
        std::vector<Expr> at = {(channel * shape[1] + ky) * shape[2] + kx, o};
        if (weights.shape().size() > at.size()) at.insert(at.begin(), n);
        return te::ReduceSum(Cast(sum, weights.At(at)) * Cast(sum, columns(n, ky, kx, channel, p)),
                             {c, ky, kx});
      },
      "local");
  return [sums](const std::vector<Expr>& at) { return sums.At(at); };
}

}  // namespace

te::Tensor DefineProductOfTaps(const Graph& graph, const Node& node,
                               const std::vector<te::Tensor>& inputs, const GpuProduct& p,
                               const GpuTile& tile) {
  operators::Lowering l{{node, {}}, graph.type(node.output), graph.rounding(), inputs};
  for (const ValueId input : node.inputs) l.inputs.push_back(&graph.type(input));
  const bool real = IsReal(graph, node);
  const bool conv = IsConv(node);
  const Taps taps = conv ? TapsOfConv(l, p) : TapsOfDense(l, p, ByOutput(node));
  const bool in_lines = tile.tensor && p.lines;
  const te::Axis n{"n", p.batch}, o{"o", AlignUp(p.outputs, tile.outputs)};
  std::vector<te::Axis> axes = {n, o}, places = {{"p", AlignUp(p.places, tile.places)}};
  if (in_lines) {
    const LinesOfTile lines = LinesOf(p, tile);
    places = {{"y", AlignUp(p.lines->height, lines.lines)},
              {"x", AlignUp(p.lines->width, lines.beside)}};
  }
  axes.insert(axes.end(), places.begin(), places.end());
  const te::Tensor columns =
      in_lines
          ? LinesOfInput(l, *p.lines, places)
          : te::Compute(
                "columns",
                {n,
                 {"ky", taps.rows},
                 {"kx", taps.columns},
                 {"c", p.channels / ChannelsOf(inputs[0], p)},
                 places[0]},
                [&](Expr n, Expr ky, Expr kx, Expr c, Expr p) { return taps.tap(n, c, ky, kx, p); },
                "shared");
  const te::Tensor weights =
      HasPackedWeights(graph, node, p) ? CopyOfWeights(inputs[1]) : WeightsOfNode(taps, p, n, o);
  const loop::DType sum = real ? loop::DType::kFloat32 : loop::DType::kInt32;
  const ProductElement sums =
      tile.tensor ? WarpSums(p, tile, weights, columns) : ThreadSums(weights, columns, p, tile);
  std::vector<int64_t> shape;
  for (const te::Axis& axis : axes) shape.push_back(axis.extent);
  const auto with = [](const Expr& member, std::vector<Expr> at) {
    at.insert(at.begin(), member);
    return at;
  };
  te::Tensor total = te::View("total", shape, sum,
                              [=](const std::vector<Expr>& at) { return sums(with(Expr(0), at)); });
  if (tile.team > 1) {
    std::vector<te::Axis> of_all = axes;
    of_all.insert(of_all.begin(), {"s", tile.team});
    const te::Tensor parts = te::Compute("parts", of_all, sums);
    const te::ReduceAxis s("s", tile.team);
    total = te::Compute(
        "total", axes,
        [&](const std::vector<Expr>& at) { return te::ReduceSum(parts.At(with(s, at)), {s}); },
        "local");
  }
  const Shape out = l.output.shape;
  const bool narrow = TakesBiased(graph, node) && ScalesFit(graph, node, BiasOfBiased(graph, node));
  return te::View(
      "value", out, real ? sum : loop::DType::kInt8, [=, &node](const std::vector<Expr>& at) {
        const Expr element = in_lines ? total.At(at)
                             : p.images > 1
                                 ? total(Expr(0), at[1], (at[0] * out[2] + at[2]) * out[3] + at[3])
                             : conv   ? total(at[0], at[1], at[2] * out[3] + at[3])
                             : p.rows ? total(NumberInBatch(out, at), at.back(), at.end()[-2])
                                      : total(at[0], at[1], Expr(0));
        if (narrow) return operators::RequantNarrow(l, element, at[1]);
        if (!real) return operators::RequantChannel(l, element, at[1]);
        if (p.own_weights) return element;
        const bool biased = node.inputs.size() > 2;
        if (conv) return biased ? element + l.x(2)(at[1]) : element;
        const Expr product = element * loop::FloatConst(node.attributes.Double("alpha"));
        const Expr beta = loop::FloatConst(node.attributes.Double("beta"));
        return biased ? product + beta * operators::Broadcast(l.x(2), at) : product;
      });
}

}  // namespace vta::compiler::targets
