#include "compiler/targets/vta/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "compiler/graph/ops.h"
#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/conv_tiling.h"
#include "compiler/targets/vta/kernels/elementwise.h"
#include "compiler/targets/vta/kernels/max_pool.h"
#include "compiler/targets/vta/kernels/plan_conv.h"
#include "isa/spec/published.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {

namespace {

std::string ProgramName(const Node& node) { return StrCat("vta_", Spec(node.op).name); }

ConvShape MaxPoolShape(const isa::Config& config, const Graph& graph, const Node& node) {
  constexpr int64_t kLeast = -128;
  const BlockSizes in = BlocksOf(config, graph.shape(node.inputs[0]));
  ConvShape shape{.batch = in.batch, .groups = in.channels, .in_h = in.height, .in_w = in.width};
  shape.kh = node.Ints("kernel")[0], shape.kw = node.Ints("kernel")[1];
  ReadWindow(config, node, kLeast, &shape);
  if (shape.border_rows)
    Refuse(node, "pad_value", std::to_string(kLeast), "this config pads with 0 only");
  return shape;
}

StepPlan PlanMaxPool(const isa::Config& config, const Graph& graph, const Node& node) {
  Scheduled op = ScheduleMaxPool(config, ProgramName(node), MaxPoolShape(config, graph, node));
  return {std::move(op.definition),
          std::move(op.schedule),
          "",
          {{"x", node.inputs[0]}, {"y", node.output}},
          {{"w", Diagonal(config, 1)}}};
}

int64_t RowsOf(const isa::Config& config, const Graph& graph, const Node& node) {
  const BlockSizes sizes = BlocksOf(config, graph.shape(node.output));
  return sizes.batch * sizes.channels * sizes.height * sizes.width;
}

std::vector<uint8_t> SameLanes(const isa::Config& config, const isa::RequantLane& lane,
                               int64_t most, bool wide_shift = false) {
  const size_t lanes = ChannelBlocks(config).channels;
  return Bytes(PackParameters(config, std::vector<isa::RequantLane>(lanes, lane),
                              std::vector<int64_t>(lanes, most), wide_shift));
}

/// An addition as the hardware does it.
struct AddWorkload {
  isa::RequantLane lane;
  int64_t factors[2];
  AddShape shape;

  /// Of the sum.
  int64_t Most() const {
    return 128 * (std::abs(factors[0]) + std::abs(factors[1])) << shape.shift;
  }
};

AddWorkload AddWorkloadOf(const isa::Config& config, const Graph& graph, const Node& node) {
  const int64_t a = node.Int("multiplier_a"), b = node.Int("multiplier_b");
  const AbsorbedScale scale =
      AbsorbScale(config, LaneOf(node), std::max(std::abs(a), std::abs(b)), kMostMultiplier);
  const SumFactors sum = TakeOutShift(std::lround(a * scale.factor), std::lround(b * scale.factor));
  for (const int64_t factor : {sum.a, sum.b})
    if (std::abs(factor) > kMostMultiplier)
      Refuse(node, "multiplier", std::to_string(factor),
             StrCat("must be at most ", kMostMultiplier, " times a power of two of both"));
  return {scale.lane,
          {sum.a, sum.b},
          {.rows = RowsOf(config, graph, node),
           .two_digits = sum.two_digits(),
           .shift = sum.shift,
           .wide_shift = NeedsWideShift(config, node, scale.lane)}};
}

/// A convolution whose codes are not rounded to whole ones: they keep so many bits behind the point
/// at the scale of the sum with the other operand, which GEMM adds, until a shift takes them.
ConvWorkload JoinByShifts(const isa::Config& config, const Graph& graph, const Node& conv,
                          const Node& add, int bits) {
  constexpr int64_t kMostTerms = 4, kMostFactor = kMostTerms * Residual::kMostWeight;
  constexpr double kMostBias = 1 << 30;
  const int own = add.inputs[0] == conv.output ? 0 : 1;
  const isa::RequantLane lane = LaneOf(add);
  const double unit = std::ldexp(static_cast<double>(lane.multiplier), lane.exponent - 31 + bits);
  const double factors[] = {static_cast<double>(add.Int("multiplier_a")) * unit,
                            static_cast<double>(add.Int("multiplier_b")) * unit};
  const auto refuse = [&](double factor, const std::string& rule) {
    Refuse(add, "factor", std::to_string(std::ldexp(factor, -bits)), rule);
  };
  if (factors[own] <= 0 || 128 * factors[own] > INT16_MAX)
    refuse(factors[own], StrCat("must be more than 0, and fit an immediate with ", bits, " bits"));
  if (std::abs(factors[1 - own]) > kMostFactor)
    refuse(factors[1 - own], StrCat("must be ", kMostTerms, " weights with ", bits, " bits"));
  ConvWorkload work = ConvWorkloadOf(config, graph, conv, nullptr, factors[own]);
  if (work.shape.wide_shift)
    Refuse(conv, "shift", StrCat("more than ", isa::kPublishedMostShift),
           "must be one where a sum is joined to it");
  if (std::abs(lane.bias * unit) > kMostBias)
    Refuse(add, "bias", std::to_string(lane.bias),
           StrCat("must fit an accumulator with ", bits, " bits"));
  Residual sum{.skip_factor = std::lround(factors[1 - own]), .lane = lane};
  sum.terms = std::max<int64_t>(CeilDiv(std::abs(sum.skip_factor), Residual::kMostWeight), 1);
  sum.lane.bias = static_cast<int32_t>(std::lround(lane.bias * unit));
  sum.lane.multiplier = 1 << 30;
  sum.lane.exponent = static_cast<int8_t>(1 - bits);
  work.shape.residual = sum;
  return work;
}

/// With as many bits as can be: the fewer, the coarser the factor of the other operand. Errors:
/// what forbids the fewest.
ConvWorkload JoinByShifts(const isa::Config& config, const Graph& graph, const Node& conv,
                          const Node& add) {
  constexpr int kMostBits = 9, kLeastBits = 7;
  for (int bits = kMostBits;; --bits) try {
      return JoinByShifts(config, graph, conv, add, bits);
    } catch (const Error&) {
      if (bits == kLeastBits) throw;
    }
}

/// The convolution of a step, whose second operator may take its outputs as phases or join its
/// sums.
ConvWorkload StepWorkload(const isa::Config& config, const Graph& graph, const Node& conv,
                          const Node* second) {
  const bool interleaves = second && second->op == Op::kDepthToSpace;
  if (second && !interleaves && EpilogueOf(config) == EpilogueKind::kShift)
    return JoinByShifts(config, graph, conv, *second);
  ConvWorkload work = ConvWorkloadOf(config, graph, conv, interleaves ? second : nullptr);
  const Node* const add = interleaves ? nullptr : second;
  if (!add) return work;
  const AddWorkload sum = AddWorkloadOf(config, graph, *add);
  const int own = add->inputs[0] == conv.output ? 0 : 1;
  work.shape.residual = {sum.factors[own], sum.factors[1 - own], sum.shape.shift, sum.lane};
  return work;
}

/// Of the outputs of phases those that are not stored.
int64_t CroppedBytes(const isa::Config& config, const Graph& graph, const Node& interleaves,
                     const ConvShape& shape) {
  const int64_t made =
      shape.batch * shape.groups * shape.co * shape.phases_w * shape.out_h() * shape.out_w();
  return (made - RowsOf(config, graph, interleaves)) * ChannelBlocks(config).out_parts *
         config.out_bytes();
}

StepPlan PlanConv(const isa::Config& config, const Graph& graph, const Node& node,
                  const Node* second, Hiding hiding) {
  const ConvWorkload work = StepWorkload(config, graph, node, second);
  const ConvShape& shape = work.shape;
  const Node* const add = shape.residual ? second : nullptr;
  const std::string name = StrCat(ProgramName(node), add ? "_add" : "");
  const ConvTiling tiling = ChooseConvTiling(config, shape, name, hiding);
  const ConvDefinition definition =
      DefineConv(config, graph.rounding(), work.shared(), name, shape);
  StepPlan plan{
      definition.function,
      ScheduleConv(config, graph.rounding(), definition, shape, tiling),
      Print(tiling),
      {{"x", node.inputs[0]}, {"y", second ? second->output : node.output}},
      {{"w", PackWeights(config, graph, node, work)}, {"p", PackLanes(config, graph, node, work)}}};
  if (shape.weight_terms > 1 || shape.absent_taps)
    plan.sparse.emplace("w", StoredWeights(config, plan.constants[0].second, shape));
  if (second && !add) plan.phases = PlacePhases(config, graph, *second, shape);
  if (!add) return plan;
  const Residual& residual = *shape.residual;
  plan.tensors.emplace_back("s", add->inputs[add->inputs[0] == node.output ? 1 : 0]);
  std::vector<uint8_t> diagonals;
  for (int64_t term = 0; term < residual.terms; ++term) {
    const auto of_term = Diagonal(config, static_cast<int8_t>(residual.Term(term)));
    diagonals.insert(diagonals.end(), of_term.begin(), of_term.end());
  }
  plan.constants.emplace_back("d", std::move(diagonals));
  return plan;
}

StepPlan PlanAdd(const isa::Config& config, const Graph& graph, const Node& node) {
  const AddWorkload work = AddWorkloadOf(config, graph, node);
  std::vector<uint8_t> low, high;
  for (const int64_t factor : work.factors) {
    const Digits digits = DigitsOf(factor);
    for (auto [block, to] : {std::pair(Diagonal(config, digits.low), &low),
                             std::pair(Diagonal(config, digits.high), &high)})
      to->insert(to->end(), block.begin(), block.end());
  }
  if (work.shape.two_digits) low.insert(low.end(), high.begin(), high.end());
  Scheduled op = ScheduleAdd(config, graph.rounding(), LaneOf(node), ProgramName(node), work.shape);
  return {std::move(op.definition),
          std::move(op.schedule),
          "",
          {{"a", node.inputs[0]}, {"b", node.inputs[1]}, {"y", node.output}},
          {{"w", std::move(low)},
           {"p", SameLanes(config, work.lane, work.Most(), work.shape.wide_shift)}}};
}

MulShape MulShapeOf(const isa::Config& config, const Graph& graph, const Node& node) {
  return {RowsOf(config, graph, node), node.Int("zero_a"), node.Int("zero_b")};
}

StepPlan PlanMul(const isa::Config& config, const Graph& graph, const Node& node) {
  Scheduled op = ScheduleMul(config, graph.rounding(), LaneOf(node), ProgramName(node),
                             MulShapeOf(config, graph, node));
  return {std::move(op.definition),
          std::move(op.schedule),
          "",
          {{"a", node.inputs[0]}, {"b", node.inputs[1]}, {"y", node.output}},
          {{"w", Diagonal(config, 1)}, {"p", SameLanes(config, LaneOf(node), 255 * 255)}}};
}

void RequireSameShapes(const Graph& graph, const Node& node) {
  for (const ValueId input : node.inputs) {
    if (graph.constant(input))
      Refuse(node, "input", graph.value(input).name, "must not be a constant");
    if (graph.shape(input) != graph.shape(node.output))
      Refuse(node, "input shape", ToText(graph.shape(input)), "must be the output's");
  }
}

void RequireBlocks(const isa::Config& config, const Graph& graph, const Node& node) {
  if (config.arch.block_in != config.arch.block_out && config.arch.batch > 1)
    Refuse(node, "arch.block_in", std::to_string(config.arch.block_in),
           StrCat("must be arch.block_out, ", config.arch.block_out,
                  ", where arch.batch is more than 1, so that layers pass activations on"));
  if (BlocksOf(config, graph.shape(node.output)).batch == 0)
    Refuse(node, "output shape", ToText(graph.shape(node.output)), "must have rank 2 or 4");
}

/// What a step of several operators has to be.
const Node* SecondOf(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes) {
  if (nodes.size() == 1) return nullptr;
  const Node &conv = graph.nodes().at(nodes[0]), &second = graph.nodes().at(nodes[1]);
  const bool reads = std::count(second.inputs.begin(), second.inputs.end(), conv.output) == 1;
  const bool adds = second.op == Op::kAddI8;
  if (nodes.size() != 2 || conv.op != Op::kConv2dI8 || !reads ||
      !(adds || second.op == Op::kDepthToSpace))
    Refuse(conv, "operators", std::to_string(nodes.size()),
           "must be one, or a convolution and the addition of its result to another tensor or what "
           "interleaves it");
  if (!adds) return &second;
  if (!config.arch.mul && EpilogueOf(config) == EpilogueKind::kRequant)
    Refuse(second, "arch.mul", "0",
           "codes in the accumulators are scaled by the ALU operation mul");
  RequireSameShapes(graph, second);
  return &second;
}

}  // namespace

void RequireStep(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes,
                 Hiding hiding) {
  const Node& node = graph.nodes().at(nodes[0]);
  RequireBlocks(config, graph, node);
  const Node* const second = SecondOf(config, graph, nodes);
  switch (node.op) {
    case Op::kConv2dI8:
    case Op::kDenseI8:
    case Op::kAvgPoolI8:
    case Op::kRequantI8:
      ChooseConvTiling(config, StepWorkload(config, graph, node, second).shape, ProgramName(node),
                       hiding);
      return;
    case Op::kMaxPoolI8:
      ChoosePoolTile(config, ProgramName(node), MaxPoolShape(config, graph, node));
      return;
    case Op::kMulI8:
      if (!config.arch.mul) Refuse(node, "arch.mul", "0", "a product needs the ALU operation mul");
      RequireSameShapes(graph, node);
      RequireMul(config, ProgramName(node), MulShapeOf(config, graph, node));
      return;
    case Op::kAddLookupI8:
      Refuse(node, "operator", "add_lookup_i8",
             "no multiples of the codes were found whose sum rounds as the kernels of mode double");
    case Op::kAddI8:
      RequireSameShapes(graph, node);
      RequireAdd(config, ProgramName(node), AddWorkloadOf(config, graph, node).shape);
      return;
    case Op::kDepthToSpace:
      Refuse(node, "operator", "depth_to_space",
             "is done by the store of a convolution, and this one's is not its own");
    default:
      Refuse(node, "operator", std::string(Spec(node.op).name), "is none of the VTA target's");
  }
}

std::vector<Work> LayoutsOf(const isa::Config& config, const Graph& graph,
                            std::span<const NodeId> nodes) {
  const Node& node = graph.nodes().at(nodes[0]);
  const Node* const second = SecondOf(config, graph, nodes);
  switch (node.op) {
    case Op::kMaxPoolI8:
      return {MaxPoolWork(config, MaxPoolShape(config, graph, node))};
    case Op::kAddI8:
      return {AddWork(config, AddWorkloadOf(config, graph, node).shape)};
    case Op::kMulI8:
      return {MulWork(config, MulShapeOf(config, graph, node))};
    default:
      break;
  }
  const ConvShape shape = StepWorkload(config, graph, node, second).shape;
  Work work = ConvWork(config, shape);
  if (second && !shape.residual) work.bytes -= CroppedBytes(config, graph, *second, shape);
  return {work};
}

StepPlan PlanStep(const isa::Config& config, const Graph& graph, std::span<const NodeId> nodes,
                  Hiding hiding) {
  const Node& node = graph.nodes().at(nodes[0]);
  RequireBlocks(config, graph, node);
  const Node* const second = SecondOf(config, graph, nodes);
  switch (node.op) {
    case Op::kMaxPoolI8:
      return PlanMaxPool(config, graph, node);
    case Op::kAddI8:
      return PlanAdd(config, graph, node);
    case Op::kMulI8:
      return PlanMul(config, graph, node);
    default:
      return PlanConv(config, graph, node, second, hiding);
  }
}

}  // namespace vta::compiler::targets
