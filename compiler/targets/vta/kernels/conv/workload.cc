#include "compiler/targets/vta/kernels/conv/workload.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "compiler/graph/ops/int8_common.h"
#include "compiler/graph/window_fold.h"
#include "compiler/targets/vta/kernels/border_scales.h"
#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/constants.h"
#include "compiler/targets/vta/kernels/narrow_scale.h"
#include "compiler/targets/vta/kernels/nodes.h"
#include "isa/spec/alu_ops.h"

namespace vta::compiler::targets {
namespace {

constexpr int64_t kMostWeight = 127;

/// The parts of a grouped convolution whose channels are whole blocks: as few groups as that takes
/// in each part, the others' weights 0. One part where channels do not divide so.
void SplitGroups(int64_t block, ConvWorkload* work) {
  const int64_t in = work->in_channels / work->groups;
  const int64_t out = work->out_channels / work->groups / work->phases();  // of a phase
  const int64_t together = std::lcm(block / std::gcd(block, in), block / std::gcd(block, out));
  const int64_t parts = CeilDiv(work->groups, together);
  ConvShape& shape = work->shape;
  shape.groups = 1;
  shape.ci = CeilDiv(work->in_channels, block);
  shape.co = CeilDiv(work->out_channels, block * shape.phases_w);
  work->groups_together = work->groups;
  const int64_t ci = together * in / block, co = together * out * shape.phases_h / block;
  if (work->groups == 1 || parts * ci != shape.ci || parts * co != shape.co) return;
  shape.groups = parts;
  shape.ci = ci;
  shape.co = co;
  work->groups_together = together;
}

/// Whether there are taps that no output of a phase has: phases see windows of different sizes.
bool HasAbsentTaps(const Tensor& weights, const ConvWorkload& work) {
  const std::vector<int16_t> codes = ops::WeightCodes(weights);
  const int64_t taps = work.shape.kh * work.shape.kw;
  const int64_t per_phase = work.out_channels / work.groups / work.phases();
  std::vector<bool> present(work.phases() * taps);
  for (size_t i = 0; i < codes.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t channel = at / (std::ssize(codes) / work.out_channels);
    if (codes[i] != 0) present[channel / per_phase % work.phases() * taps + at % taps] = true;
  }
  return std::ranges::find(present, false) != present.end();
}

/// Of a folded window, the elements of inp and taps whose weights are 0 for all outputs.
int64_t AbsentProducts(const isa::Config& config, const Tensor& weights, const ConvWorkload& work) {
  const std::vector<int16_t> codes = ops::WeightCodes(weights);
  const int64_t taps = work.shape.kh * work.shape.kw, block = config.arch.block_in;
  std::vector<uint8_t> present(work.shape.ci * ChannelBlocks(config).in_parts * taps);
  const int16_t* code = codes.data();
  for (int64_t rows = std::ssize(codes) / (work.in_channels * taps); rows > 0; --rows)
    for (int64_t channel = 0; channel < work.in_channels; ++channel)
      for (uint8_t *of = &present[channel / block * taps], *end = of + taps; of != end; ++of)
        *of |= *code++ != 0;
  return std::ranges::count(present, 0);
}

/// One term of a convolution, in channels.
struct Weight {
  int64_t out, in, ky, kx, value;
};

/// The parameters of an output channel as the node has them.
isa::RequantLane LaneOfChannel(const Graph& graph, const Node& node, const ConvWorkload& work,
                               int64_t channel) {
  isa::RequantLane lane = work.common;
  lane.bias = graph.constant(node.inputs[2])->data<int32_t>()[channel];
  lane.multiplier = graph.constant(node.inputs[3])->data<int32_t>()[channel];
  lane.exponent = static_cast<int8_t>(
      std::clamp(graph.constant(node.inputs[4])->data<int32_t>()[channel], -31, 30));
  return lane;
}

/// The parameters of an output channel, and what its weights are multiplied by.
AbsorbedScale ScaleOf(const isa::Config& config, const Graph& graph, const Node& node,
                      const ConvWorkload& work, std::span<const int16_t> weights, int64_t channel) {
  const isa::RequantLane lane = LaneOfChannel(graph, node, work, channel);
  const int64_t count = static_cast<int64_t>(weights.size()) / work.out_channels;
  int64_t largest = 0;
  for (const int16_t value : weights.subspan(channel * count, count))
    largest = std::max(largest, std::abs(int64_t{value}));
  AbsorbedScale out = AbsorbScale(config, lane, largest, kMostWeight, work.scale);
  if (work.scale == 1) return out;
  const double zero_point = lane.zero_point * work.scale;  // before the shift
  const auto shifted = static_cast<int32_t>(
      std::lround(std::ldexp(zero_point, static_cast<int>(ShiftOf(config, out.lane)))));
  out.lane.bias = isa::WrapAdd(out.lane.bias, shifted);
  out.lane.zero_point = 0;
  return out;
}

/// The parameters of a workload without weights, and the weight that takes their place.
struct ScaleWithoutWeights : AbsorbedScale {
  bool is_tried = false;  // with every sum that there can be: the codes are the node's
};
ScaleWithoutWeights ScaleOfSums(const isa::Config& config, const Graph& graph,
                                const ConvWorkload& work) {
  const int64_t bits = config.arch.requant_multiplier_bits, taps = work.shape.kh * work.shape.kw;
  if (EpilogueOf(config) == EpilogueKind::kRequant && bits < 32)
    if (const auto exact = ExactNarrowScale(work.common, graph.rounding(), bits, -128 * taps,
                                            127 * taps, kMostWeight))
      return {{static_cast<double>(exact->factor), exact->lane}, true};
  return {AbsorbScale(config, work.common, 1, kMostWeight)};
}

/// Calls visit for every weight, scaled to int8 where that takes a scale. Rounding errors are
/// passed on within a channel, so that its sum, which the bias holds times the input's zero point,
/// is kept.
template <typename F>
void ForEachWeight(const isa::Config& config, const Graph& graph, const Node& node,
                   const ConvWorkload& work, const F& visit) {
  const std::vector<int16_t> data = ops::WeightCodes(*graph.constant(node.inputs[1]));
  const int64_t block = ChannelBlocks(config).channels;
  const int64_t ipg = work.in_channels / work.groups, opg = work.out_channels / work.groups;
  const int64_t kh = work.shape.kh, kw = work.shape.kw;
  int64_t at = 0;
  for (int64_t o = 0; o < work.out_channels; ++o) {
    const double factor = ScaleOf(config, graph, node, work, data, o).factor;
    double carry = 0;
    for (int64_t i = 0; i < ipg; ++i)
      for (int64_t y = 0; y < kh; ++y)
        for (int64_t x = 0; x < kw; ++x) {
          const double wanted = data[at++] * factor + carry;
          const double value =
              factor == 1 ? wanted : std::clamp<double>(std::round(wanted), -128, 127);
          carry = wanted - value;
          visit(
              Weight{work.PlaceOf(o, block), o / opg * ipg + i, y, x, static_cast<int64_t>(value)});
        }
  }
}

/// The terms that the longest sum of a weight has, and what they need.
void CountTerms(const isa::Config& config, const Graph& graph, const Node& node,
                ConvWorkload* work) {
  int64_t most = 1;
  ForEachWeight(config, graph, node, *work, [&](const Weight& w) {
    int64_t terms = 1;
    for (int64_t rest = AfterTerm(w.value); rest != 0; rest = AfterTerm(rest)) ++terms;
    most = std::max(most, terms);
  });
  work->shape.weight_terms = most;
  if (most > 1)
    work->shape.further_weights =
        StoredWeights(config, PackWeights(config, graph, node, *work), work->shape).extra();
}

/// How many elements of weights the taps that are absent leave out.
void CountAbsent(const isa::Config& config, const Graph& graph, const Node& node,
                 ConvWorkload* work) {
  const std::vector<uint8_t> packed = PackWeights(config, graph, node, *work);
  const int64_t all = std::ssize(packed) / config.wgt_bytes() / work->shape.weight_terms;
  work->shape.absent_weights =
      all + work->shape.further_weights - StoredWeights(config, packed, work->shape).count();
}

void ReadPhases(const isa::Config& config, const Node& interleaves, ConvWorkload* work) {
  const std::vector<int64_t>& blocks = interleaves.Ints("blocks");
  if (blocks.size() != 2)
    Refuse(interleaves, "blocks", ToText(blocks), "must be those of a height and a width");
  if (interleaves.Int("groups") != work->groups)
    Refuse(interleaves, "groups", std::to_string(interleaves.Int("groups")),
           StrCat("must be the convolution's ", work->groups));
  work->shape.phases_h = blocks[0], work->shape.phases_w = blocks[1];
  const int64_t block = ChannelBlocks(config).channels;
  const int64_t channels = work->out_channels / work->phases();
  if (channels % block != 0)
    Refuse(interleaves, "channels", std::to_string(channels),
           StrCat("must be whole blocks of ", block));
}

/// Of a step that only looks its codes up.
isa::RequantLane IdentityLane() { return {.multiplier = 1 << 30, .exponent = 1}; }

/// A code that a padded channel never leaves.
isa::RequantLane UnusedLane() { return {.multiplier = 0, .zero_point = 0, .low = 0, .high = 0}; }

/// What pads add to the outputs of each class. Shape: [blocks, rows, batch, block_out].
std::vector<int32_t> PackBorder(const isa::Config& config, const Graph& graph, const Node& node,
                                const ConvWorkload& work) {
  const ConvShape& s = work.shape;
  const int64_t block = config.arch.block_out, batch = config.arch.batch;
  const int64_t channels = s.groups * s.co * s.phases_w * ChannelBlocks(config).channels,
                taps = s.kh * s.kw;
  std::vector<int64_t> sums(channels * taps);  // of the weights of each channel and tap
  if (work.has_weights()) {
    ForEachWeight(config, graph, node, work,
                  [&](const Weight& w) { sums[w.out * taps + w.ky * s.kw + w.kx] += w.value; });
  } else {
    const double factor = ScaleOfSums(config, graph, work).factor;
    std::fill(sums.begin(), sums.end(), std::lround(factor));
  }
  const Border lines = s.border_h(), columns = s.border_w();
  std::vector<int32_t> rows(channels * BorderRows(s) * batch);
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t row = 0; row < BorderRows(s); ++row) {
      const int64_t y = lines.OutputOf(row / columns.classes()),
                    x = columns.OutputOf(row % columns.classes());
      int64_t sum = 0;
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t iy = y * s.stride_h + tap / s.kw * s.dilation_h - s.pad_top;
        const int64_t ix = x * s.stride_w + tap % s.kw * s.dilation_w - s.pad_left;
        const bool inside = iy >= 0 && iy < s.in_h && ix >= 0 && ix < s.in_w;
        if (!inside) sum += sums[c * taps + tap] * s.pad_value;
      }
      const int64_t at = (c / block * BorderRows(s) + row) * batch;
      for (int64_t b = 0; b < batch; ++b)
        rows[(at + b) * block + c % block] = static_cast<int32_t>(sum);
    }
  return rows;
}

/// Of the products of a matrix that is made when they are, without the bias.
int64_t MostProduct(const ConvWorkload& work) {
  return 128 * 128 * (work.in_channels / work.groups);
}

/// The rows of the convolution's own epilogue, and of a residual's.
std::vector<int32_t> PackSets(const isa::Config& config, const Graph& graph, const Node& node,
                              const ConvWorkload& work) {
  const ConvShape& s = work.shape;
  const ChannelBlocks blocks(config);
  const size_t lanes = s.groups * s.co * s.phases_w * blocks.channels;
  if (s.border_scales) return PackBorderScales(config, graph, node, s);
  if (!work.has_weights()) {
    const isa::RequantLane lane = ScaleOfSums(config, graph, work).lane;
    return PackParameters(config, std::vector<isa::RequantLane>(lanes, lane),
                          std::vector<int64_t>(lanes, s.kh * s.kw * 128), s.wide_shift);
  }
  if (work.made) {
    std::vector<isa::RequantLane> same(lanes, work.common);
    for (size_t c = 0; c < lanes; ++c)
      same[c].bias = graph.constant(node.inputs[2])->data<int32_t>()[c];
    return PackParameters(config, same, std::vector<int64_t>(lanes, MostProduct(work)));
  }
  std::vector<isa::RequantLane> packed(lanes, UnusedLane());
  std::vector<int64_t> most(lanes);
  const std::vector<int16_t> weights = ops::WeightCodes(*graph.constant(node.inputs[1]));
  for (int64_t c = 0; c < work.out_channels; ++c)
    packed[work.PlaceOf(c, blocks.channels)] = ScaleOf(config, graph, node, work, weights, c).lane;
  ForEachWeight(config, graph, node, work,
                [&](const Weight& w) { most[w.out] += 128 * std::abs(int64_t{w.value}); });
  const std::vector<int32_t> own = PackParameters(config, packed, most, s.wide_shift);
  if (!s.residual) return own;
  const std::vector<isa::RequantLane> sums(lanes, s.residual->lane);
  const std::vector<int64_t> most_sum(lanes, s.residual->Most());
  return JoinRows(lanes / config.arch.block_out, own,
                  PackParameters(config, sums, most_sum, s.wide_shift));
}

}  // namespace

SharedLane ConvWorkload::shared() const {
  SharedLane lane = Shared(common);
  if (scale == 1) return lane;
  lane.zero_point = 0;  // the bias has it
  lane.low = std::lround(common.low * scale), lane.high = std::lround(common.high * scale);
  return lane;
}

namespace {

void ReadProduct(const isa::Config& config, const Graph& graph, const Node& node,
                 ConvWorkload* work) {
  constexpr int64_t kMostDepth = 1 << 15;  // a sum and its bias fit 32 bits
  const int64_t block = ChannelBlocks(config).channels;
  if (EpilogueOf(config) != EpilogueKind::kRequant)
    Refuse(node, "arch.requant", "0",
           "the biases of products of two activations are made when it runs, and scaled after "
           "that, which needs the ALU operation requant");
  for (const ValueId input : {node.inputs[0], node.inputs[1]})
    if (graph.constant(input))
      Refuse(node, "input", graph.value(input).name, "must not be a constant");
  const Shape& w = graph.shape(node.inputs[1]);
  const bool in_blocks = w.size() == 4;
  work->made = true;
  work->groups = node.Int("groups");
  work->out_channels = in_blocks ? w[0] * w[2] : w[0];
  const int64_t depth = in_blocks ? w[1] * w[3] : w[1], rows = work->out_channels / work->groups;
  work->in_channels = depth * work->groups;
  for (const int64_t side : {rows, depth})
    if (side % block != 0)
      Refuse(node, "matrices' shape", ToText(w),
             StrCat("the sides of a matrix must be whole blocks of ", block));
  if (depth > kMostDepth)
    Refuse(node, "depth", std::to_string(depth), StrCat("must be at most ", kMostDepth));
  SplitGroups(block, work);
}

}  // namespace

ConvWorkload ConvWorkloadOf(const isa::Config& config, const Graph& graph, const Node& node,
                            const Node* interleaves, double scale) {
  ConvWorkload work;
  work.common = node.op == Op::kLookupI8 || node.op == Op::kPreluI8 ? IdentityLane() : LaneOf(node);
  work.scale = scale;
  ConvShape& s = work.shape;
  const BlockSizes in = BlocksOf(config, graph.shape(node.inputs[0]));
  s.batch = in.batch, s.in_h = in.height, s.in_w = in.width;
  if (node.op == Op::kMatMulI8) {
    ReadProduct(config, graph, node, &work);
    return work;
  }
  if (node.op == Op::kConv2dI8 || node.op == Op::kDenseI8) {
    for (size_t i = 1; i < node.inputs.size(); ++i)
      if (!graph.constant(node.inputs[i]))
        Refuse(node, "input", graph.value(node.inputs[i]).name, "must be a constant");
    const Shape& w = graph.shape(node.inputs[1]);
    work.groups = node.op == Op::kConv2dI8 ? node.Int("groups") : 1;
    work.out_channels = w[0];
    work.in_channels = w[1] * work.groups;
    if (node.op == Op::kConv2dI8) {
      s.kh = w[2], s.kw = w[3];
      ReadWindow(config, node, node.Int("pad_value"), &s);
    }
    if (interleaves) ReadPhases(config, *interleaves, &work);
    SplitGroups(ChannelBlocks(config).channels, &work);
    if (interleaves) s.absent_taps = HasAbsentTaps(*graph.constant(node.inputs[1]), work);
    if (ReadsFold(graph, node)) {
      s.absent_products = AbsentProducts(config, *graph.constant(node.inputs[1]), work);
      s.absent_taps |= s.absent_products > 0;
    }
    if (graph.type(node.inputs[1]).dtype != DType::kInt8) CountTerms(config, graph, node, &work);
    if (EpilogueOf(config) == EpilogueKind::kShift) {
      const std::vector<int16_t> weights = ops::WeightCodes(*graph.constant(node.inputs[1]));
      for (int64_t c = 0; c < work.out_channels; ++c)
        s.wide_shift |=
            NeedsWideShift(config, node, ScaleOf(config, graph, node, work, weights, c).lane);
    }
    if (s.absent_taps) CountAbsent(config, graph, node, &work);
    return work;
  }
  if (graph.type(node.inputs[0]).dtype != DType::kInt8)
    Refuse(node, "input type", std::string(Name(graph.type(node.inputs[0]).dtype)),
           "must be int8: sums are scaled by the operator that makes them");
  s.groups = in.channels;
  s.shared_weights = true;
  if (EpilogueOf(config) == EpilogueKind::kShift)
    s.wide_shift = NeedsWideShift(config, node, ScaleOfSums(config, graph, work).lane);
  if (node.op == Op::kAvgPoolI8) {
    s.kh = node.Ints("kernel")[0], s.kw = node.Ints("kernel")[1];
    ReadWindow(config, node, node.Int("pad_value"), &s);
    if (node.inputs.size() > 1) ReadBorderScales(config, graph, node, &s);
  }
  return work;
}

namespace {

/// The least and the greatest of a sum of products with codes.
struct Extent {
  double low = 0, high = 0;

  void Add(double factor) {
    low += std::min(-128 * factor, 127 * factor);
    high += std::max(-128 * factor, 127 * factor);
  }
  double Largest(double constant) const {
    return std::max(std::abs(low + constant), std::abs(high + constant));
  }
};

/// Of an output channel: its lane and the factor of what it sums up, and the scale of these as they
/// are wanted and as they are applied.
struct ChannelScale {
  isa::RequantLane wanted;
  AbsorbedScale made;
  double scale;
  AppliedScale applied;

  /// `most`: of the sums' magnitude.
  double Error(const Extent& products, int64_t most) const {
    if (made.factor == 1 && made.lane.bias == wanted.bias)
      return ErrorOfScale(FactorOf(wanted) * scale, applied,
                          static_cast<double>(most + std::abs(int64_t{wanted.bias})));
    const double constant = (wanted.bias * FactorOf(wanted) + wanted.zero_point) * scale -
                            made.lane.bias * applied.factor - made.lane.zero_point;
    return products.Largest(constant) + applied.lost;
  }
};

/// A tie is rounded upwards, if by no more.
constexpr double kTies = 0x1p-40;

/// Whether a sum of the average pool may lie on a tie, which the node rounds to the even code.
bool RoundsTies(const Node& node) { return node.op == Op::kAvgPoolI8 && node.Int("divisor") != 0; }

}  // namespace

double ErrorOfCodes(const isa::Config& config, const Graph& graph, const Node& node,
                    const ConvWorkload& work) {
  const int64_t taps = work.shape.kh * work.shape.kw;
  if (work.made) {
    const double most = 2.0 * static_cast<double>(MostProduct(work));  // with the bias
    return ErrorOfScale(FactorOf(work.common), ScaleApplied(config, work.common, MostProduct(work)),
                        most) +
           ErrorOfRounding(config, graph.rounding(), work.common);
  }
  if (work.shape.border_scales) return RoundsTies(node) ? kTies : 0;
  if (!work.has_weights()) {
    const ScaleWithoutWeights made = ScaleOfSums(config, graph, work);
    const double ties = RoundsTies(node) ? kTies : 0;
    if (made.is_tried) return ties;
    const int64_t weight = std::llround(made.factor), most = 128 * taps * std::abs(weight);
    const ChannelScale scale{work.common, made, 1, ScaleApplied(config, made.lane, most)};
    Extent products;
    for (int64_t tap = 0; tap < taps; ++tap)
      products.Add(FactorOf(work.common) - static_cast<double>(weight) * scale.applied.factor);
    const double error =
        scale.Error(products, most) + ErrorOfRounding(config, graph.rounding(), work.common);
    return std::max(error, ties);
  }
  const std::vector<int16_t> weights = ops::WeightCodes(*graph.constant(node.inputs[1]));
  const int64_t count = std::ssize(weights) / work.out_channels;
  std::vector<int64_t> scaled;
  ForEachWeight(config, graph, node, work, [&](const Weight& w) { scaled.push_back(w.value); });
  double error = 0;
  for (int64_t c = 0; c < work.out_channels; ++c) {
    const AbsorbedScale made = ScaleOf(config, graph, node, work, weights, c);
    int64_t most = 0;
    for (int64_t i = c * count; i < (c + 1) * count; ++i) most += 128 * std::abs(scaled[i]);
    const ChannelScale scale{LaneOfChannel(graph, node, work, c), made, work.scale,
                             ScaleApplied(config, made.lane, most)};
    Extent products;
    for (int64_t i = c * count; i < (c + 1) * count; ++i)
      products.Add(weights[i] * FactorOf(scale.wanted) * work.scale -
                   static_cast<double>(scaled[i]) * scale.applied.factor);
    error =
        std::max(error, scale.Error(products, most) +
                            work.scale * ErrorOfRounding(config, graph.rounding(), scale.wanted));
  }
  return error;
}

std::vector<uint8_t> PackWeights(const isa::Config& config, const Graph& graph, const Node& node,
                                 const ConvWorkload& work) {
  if (!work.has_weights()) {
    const double factor = ScaleOfSums(config, graph, work).factor;
    return Diagonal(config, static_cast<int8_t>(std::lround(factor)));
  }
  const ConvShape& s = work.shape;
  const ConvBlocks blocks(config, s);
  const int64_t block_in = config.arch.block_in, block_out = config.arch.block_out;
  const int64_t term = s.groups * s.co * blocks.out_parts * s.ci * s.kh * s.kw * blocks.in_parts *
                       config.wgt_bytes();
  std::vector<uint8_t> packed(s.weight_terms * term);
  const int64_t tap_bytes = blocks.in_parts * block_out * block_in;
  int64_t first = 0;  // where the first tap of these channels lies
  ForEachWeight(config, graph, node, work, [&](const Weight& w) {
    if (w.ky == 0 && w.kx == 0) {
      const int64_t group = w.out / blocks.channels / (s.co * s.phases_w);
      const int64_t in = w.in / blocks.channels - group * s.ci;
      const int64_t taps = (w.out / block_out * s.ci + in) * s.kh * s.kw;
      const int64_t part = taps * blocks.in_parts + w.in % blocks.channels / block_in;
      first = (part * block_out + w.out % block_out) * block_in + w.in % block_in;
    }
    int64_t at = first + (w.ky * s.kw + w.kx) * tap_bytes;
    for (int64_t value = w.value; value != 0; value = AfterTerm(value), at += term)
      packed[at] = static_cast<uint8_t>(value - AfterTerm(value));
  });
  return packed;
}

StoredElements StoredWeights(const isa::Config& config, std::span<const uint8_t> packed,
                             const ConvShape& shape) {
  const int64_t elements = static_cast<int64_t>(packed.size()) / config.wgt_bytes();
  return {packed, config.wgt_bytes(), shape.absent_taps ? 0 : elements / shape.weight_terms};
}

std::vector<uint8_t> PackLanes(const isa::Config& config, const Graph& graph, const Node& node,
                               const ConvWorkload& work) {
  const ConvShape& s = work.shape;
  const int64_t blocks = s.groups * s.co * ConvBlocks(config, s).out_parts;
  std::vector<int32_t> sets = PackSets(config, graph, node, work);
  if (work.prelu) {
    const int64_t channels = ChannelBlocks(config).channels;
    sets = JoinRows(
        blocks, sets,
        PackBend(config, graph, *work.prelu, blocks * config.arch.block_out,
                 [&](int64_t c) { return work.has_weights() ? work.PlaceOf(c, channels) : c; }));
  }
  if (!s.border_rows) return Bytes(sets);
  return Bytes(JoinRows(blocks, sets, PackBorder(config, graph, node, work)));
}

}  // namespace vta::compiler::targets
