#include "compiler/targets/vta/kernels/conv/convolution.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "compiler/targets/vta/kernels/add.h"
#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/constants.h"
#include "compiler/targets/vta/kernels/conv/search.h"
#include "compiler/targets/vta/kernels/conv/tiling.h"
#include "compiler/targets/vta/kernels/conv/workload.h"
#include "compiler/targets/vta/kernels/max_pool.h"
#include "compiler/targets/vta/kernels/nodes.h"
#include "isa/spec/published.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

constexpr int64_t kParameterBytes = 4;

/// The second operator of a step, where it is the one or the other.
const Node* AddOf(const OperatorStep& step) {
  return step.second && step.second->op == Op::kAddI8 ? step.second : nullptr;
}
const Node* InterleaverOf(const OperatorStep& step) {
  return step.second && step.second->op == Op::kDepthToSpace ? step.second : nullptr;
}

const Node* MaximumOf(const OperatorStep& step) {
  return step.second && step.second->op == Op::kMaxPoolI8 ? step.second : nullptr;
}
/// What the node of a step after its convolution has to be where that makes it alone.
OperatorStep Alone(const OperatorStep& step, const Node& node) {
  return {.config = step.config, .graph = step.graph, .node = node, .searching = step.searching};
}

/// Which operand of the addition the convolution is.
size_t OwnOperand(const Node& conv, const Node& add) {
  return add.inputs[0] == conv.output ? 0 : 1;
}

/// A convolution whose codes are not rounded to whole ones: they keep so many bits behind the point
/// at the scale of the sum with the other operand, which GEMM adds, until a shift takes them.
ConvWorkload JoinByShifts(const isa::Config& config, const Graph& graph, const Node& conv,
                          const Node& add, int bits) {
  constexpr int64_t kMostTerms = 4, kMostFactor = kMostTerms * Residual::kMostWeight;
  constexpr double kMostBias = 1 << 30;
  const size_t own = OwnOperand(conv, add);
  const isa::RequantLane lane = LaneOf(add);
  const double unit = std::ldexp(FactorOf(lane), bits);
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

/// The windows of a maximum over the convolution's codes. Errors: throws Error at the maximum where
/// its windows share other lines or columns than pads are, or more than two share one, or leave
/// some out.
JoinedMax JoinMaximum(const isa::Config& config, const Graph& graph, const ConvShape& conv,
                      const Node& node) {
  const std::vector<int64_t>&kernel = node.Ints("kernel"), &strides = node.Ints("strides"),
        &pads = node.Ints("pads");
  const JoinedMax max{kernel[0], kernel[1], strides[0], strides[1]};
  const auto require = [&](bool holds, const std::string& what, int64_t value,
                           const std::string& rule) {
    if (!holds) Refuse(node, what, std::to_string(value), rule);
  };
  const auto along = [&](const std::string& axis, int64_t taps, int64_t stride, int64_t pad,
                         int64_t pixels, int64_t windows) {
    require(stride <= taps && taps < 2 * stride, StrCat("kernel ", axis), taps,
            "must be the stride at least, and less than twice that");
    require(pad == taps - stride, StrCat("pads ", axis), pad, "must be what windows share");
    require(pixels == windows * stride, StrCat("size ", axis), pixels,
            "must be a stride for each window");
  };
  const BlockSizes out = BlocksOf(config, graph.shape(node.output));
  along("h", max.kh, max.stride_h, pads[0], conv.out_h(), out.height);
  along("w", max.kw, max.stride_w, pads[1], conv.out_w(), out.width);
  require(!conv.border_rows, "pad_value", 0, "of the convolution must be one that the config has");
  return max;
}

/// What a step is but for its last act, a table or a bend of its codes: a convolution to whose sums
/// those of the other operand are joined, or whose outputs are phases, or the pixels of windows.
ConvWorkload WorkloadBeforeFunction(const OperatorStep& step) {
  const isa::Config& config = step.config;
  const Graph& graph = step.graph;
  const Node& conv = step.node;
  const Node *const add = AddOf(step), *const max = MaximumOf(step);
  if (!add) {
    ConvWorkload work = ConvWorkloadOf(config, graph, conv, InterleaverOf(step));
    if (max) work.shape.max = JoinMaximum(config, graph, work.shape, *max);
    return work;
  }
  if (!config.arch.mul && EpilogueOf(config) == EpilogueKind::kRequant)
    Refuse(*add, "arch.mul", "0", "codes in the accumulators are scaled by the ALU operation mul");
  RequireSameShapes(graph, *add);
  if (EpilogueOf(config) == EpilogueKind::kShift) return JoinByShifts(config, graph, conv, *add);
  ConvWorkload work = ConvWorkloadOf(config, graph, conv);
  const AddWorkload sum = AddWorkloadOf(config, graph, *add);
  const size_t own = OwnOperand(conv, *add);
  work.shape.residual = {sum.factors[own], sum.factors[1 - own], sum.shape.shift, sum.lane};
  return work;
}

ConvWorkload StepWorkload(const OperatorStep& step) {
  ConvWorkload work = WorkloadBeforeFunction(step);
  work.shape.table = step.lookup != nullptr;
  if (!step.prelu) return work;
  if (EpilogueOf(step.config) != EpilogueKind::kRequant)
    Refuse(
        *step.prelu, "arch.requant", "0",
        "each channel scales codes below the zero point otherwise, by the ALU operation requant");
  work.shape.bend = BendOf(step.graph, *step.prelu);
  work.prelu = step.prelu;
  return work;
}

/// Of the outputs of phases those that are not stored.
int64_t CroppedBytes(const OperatorStep& step, const ConvShape& shape) {
  const isa::Config& config = step.config;
  const int64_t made =
      shape.batch * shape.groups * shape.co * shape.phases_w * shape.out_h() * shape.out_w();
  const int64_t stored = BlocksOf(config, step.graph.shape(step.second->output)).rows();
  return (made - stored) * ChannelBlocks(config).out_parts * config.out_bytes();
}

int64_t CyclesOf(const OperatorStep& step) {
  const ConvShape shape = StepWorkload(step).shape;
  const ConvTiling tiling = ChooseConvTiling(step.config, shape, step.name(), step.searching);
  return EstimateConv(step.config, shape, tiling).cycles;
}

/// Errors: throws Error at the maximum where it is quicker by itself.
void RequireQuickerJoined(const OperatorStep& step) {
  if (step.searching.hiding != Hiding::kAny)
    Refuse(*step.second, "hiding", "given", "ways to hide latency are compared without it");
  const OperatorStep alone = Alone(step, *step.second);
  try {
    RequireMaxPool(alone);
  } catch (const Error&) {
    CyclesOf(step);
    return;  // there is no other way on the target
  }
  const int64_t joined = CyclesOf(step), convolution = CyclesOf(Alone(step, step.node));
  const int64_t maximum = MaxPoolLayouts(alone)[0].Cycles(step.config);
  if (joined >= convolution + maximum)
    Refuse(*step.second, "cycles", std::to_string(joined),
           StrCat("the convolution and it take ", convolution, " and ", maximum, " apart"));
}

/// The identity times each term of the factor of the other operand.
std::vector<uint8_t> ResidualDiagonals(const isa::Config& config, const Residual& residual) {
  std::vector<uint8_t> diagonals;
  for (int64_t term = 0; term < residual.terms; ++term) {
    const auto of_term = Diagonal(config, static_cast<int8_t>(residual.Term(term)));
    diagonals.insert(diagonals.end(), of_term.begin(), of_term.end());
  }
  return diagonals;
}

/// The tilings of a step, and what does not depend on them.
class ConvolutionSpace : public StepSpace {
 public:
  explicit ConvolutionSpace(const OperatorStep& step)
      : step_(step),
        name_(StrCat(step.name(), AddOf(step)       ? "_add"
                                  : MaximumOf(step) ? "_max"
                                                    : "")),
        work_(StepWorkload(step)),
        definition_(
            DefineConv(step.config, step.graph.rounding(), work_.shared(), name_, work_.shape)) {
    if (work_.shape.weight_terms > 1 || work_.shape.absent_taps)
      sparse_.emplace("w", StoredWeights(step.config, Weights(), work_.shape));
    if (const Node* const interleaver = InterleaverOf(step))
      phases_ = PlacePhases(step.config, step.graph, *interleaver, work_.shape);
  }

  const ConvShape& shape() const { return work_.shape; }
  const std::string& name() const { return name_; }

  std::string Workload() const override {
    const bool twice = step_.graph.rounding() == isa::Rounding::kDouble;
    return StrCat(name_, " ", Print(work_.shape),
                  phases_
                      ? StrCat(" crop_top=", phases_->crop_top, " crop_left=", phases_->crop_left,
                               " out=", phases_->out_h, "x", phases_->out_w)
                      : "",
                  twice ? " rounding=double" : "");
  }
  std::vector<tune::Choice> Choices() const override { return ConvChoices(work_.shape); }
  bool Has(const tune::Point& point) const override {
    return IsInSpace(step_.config, work_.shape, step_.searching.hiding, ToTiling(point));
  }
  int64_t Estimate(const tune::Point& point) const override {
    return EstimateConv(step_.config, work_.shape, ToTiling(point)).cycles;
  }
  std::vector<tune::Point> Cheapest(int64_t count) const override {
    const auto& [hiding, known, for_cost] = step_.searching;
    std::vector<tune::Point> points;
    for (const ConvTiling& tiling :
         known ? known->Cheapest(step_.config, work_.shape, hiding, count)
               : CheapestConvTilings(step_.config, work_.shape, hiding, count))
      points.push_back(ToPoint(tiling));
    return points;
  }
  loop::Schedule Schedule(const tune::Point& point) const override {
    return Schedule(ToTiling(point), memo_);
  }
  std::vector<std::pair<std::string, ValueId>> Tensors() const override {
    const Node& node = step_.node;
    std::vector<std::pair<std::string, ValueId>> tensors = {{"x", node.inputs[0]},
                                                            {"y", step_.output()}};
    if (work_.made) {
      tensors.emplace_back("w", node.inputs[1]);
      if (!has_constant_lanes()) tensors.emplace_back("p", node.inputs[2]);
    }
    if (const Node* const add = AddOf(step_))
      tensors.emplace_back("s", add->inputs[1 - OwnOperand(node, *add)]);
    return tensors;
  }
  const SparseConstants& sparse() const override { return sparse_; }
  const std::optional<PhasePlaces>& phases() const override { return phases_; }

  static StepPlan Plan(std::shared_ptr<const ConvolutionSpace> space, const ConvTiling& tiling) {
    StepPlan plan = space->Plan(tiling);
    plan.schedule = [space = std::move(space), tiling](auto memo) {
      return space->Schedule(tiling, std::move(memo));
    };
    return plan;
  }

 private:
  /// Without a schedule.
  StepPlan Plan(const ConvTiling& tiling) const {
    const isa::Config& config = step_.config;
    const Graph& graph = step_.graph;
    const Node& node = step_.node;
    StepPlan plan{definition_.function,
                  {},
                  tune::Print(Choices(), ToPoint(tiling)),
                  Tensors(),
                  {},
                  sparse_,
                  phases_};
    // Which weights are stored may depend on them.
    const bool sized = step_.searching.for_cost && sparse_.empty();
    if (!work_.made) plan.constants.emplace_back("w", sized ? Zeros("w") : Weights());
    if (has_constant_lanes())
      plan.constants.emplace_back("p", sized ? Zeros("p") : PackLanes(config, graph, node, work_));
    if (work_.shape.residual)
      plan.constants.emplace_back("d", ResidualDiagonals(config, *work_.shape.residual));
    if (step_.lookup) plan.constants.emplace_back("t", TableBytes(graph, *step_.lookup));
    return plan;
  }
  bool has_constant_lanes() const {
    return !work_.made || step_.graph.constant(step_.node.inputs[2]);
  }
  /// As many bytes as the constant has.
  std::vector<uint8_t> Zeros(const std::string& name) const {
    for (const loop::Buffer& buffer : definition_.function.params)
      if (buffer->name == name)
        return std::vector<uint8_t>(buffer->SizeElems() * loop::SizeBytes(buffer->dtype));
    VTA_CHECK(false, name);
  }
  std::vector<uint8_t> Weights() const {
    return PackWeights(step_.config, step_.graph, step_.node, work_);
  }
  loop::Schedule Schedule(const ConvTiling& tiling, std::shared_ptr<loop::StepMemo> memo) const {
    return ScheduleConv(step_.config, definition_, work_.shape, tiling, loop::Verified::kNever,
                        std::move(memo));
  }

  const OperatorStep step_;
  const std::string name_;
  const ConvWorkload work_;
  const ConvDefinition definition_;
  const std::shared_ptr<loop::StepMemo> memo_ = std::make_shared<loop::StepMemo>();
  SparseConstants sparse_;
  std::optional<PhasePlaces> phases_;
};

}  // namespace

void RequireConvolution(const OperatorStep& step) {
  if (MaximumOf(step)) return RequireQuickerJoined(step);
  ChooseConvTiling(step.config, StepWorkload(step).shape, step.name(), step.searching);
}

std::vector<Work> ConvolutionLayouts(const OperatorStep& step) {
  const ConvShape shape = StepWorkload(step).shape;
  Work work = ConvWork(step.config, shape);
  if (InterleaverOf(step)) work.bytes -= CroppedBytes(step, shape);
  return {work};
}

namespace {

double ErrorBeforeFunction(const OperatorStep& step, const ConvWorkload& work) {
  constexpr double kMostCode = 128;
  const double own = ErrorOfCodes(step.config, step.graph, step.node, work);
  if (!work.shape.residual) return own;
  const Residual& sum = *work.shape.residual;
  const Node& add = *AddOf(step);
  const isa::RequantLane wanted = LaneOf(add);
  const AppliedScale applied = ScaleApplied(step.config, sum.lane, sum.Most());
  const double twice = ErrorOfRounding(step.config, step.graph.rounding(), wanted);
  if (EpilogueOf(step.config) != EpilogueKind::kShift)
    return static_cast<double>(CodesOff(own) * std::abs(sum.factor) << sum.shift) * applied.factor +
           ErrorOfScale(FactorOf(wanted), applied,
                        static_cast<double>(sum.Most() + std::abs(int64_t{wanted.bias}))) +
           twice;
  const bool is_first = OwnOperand(step.node, add) == 0;
  const double a = static_cast<double>(add.Int("multiplier_a")) * FactorOf(wanted),
               b = static_cast<double>(add.Int("multiplier_b")) * FactorOf(wanted);
  // The graph's codes are rounded before they are added, and here to a unit of the sum.
  return (own + 1) * applied.factor + std::abs(is_first ? a : b) / 2 +
         kMostCode *
             std::abs((is_first ? b : a) - static_cast<double>(sum.skip_factor) * applied.factor) +
         std::abs(wanted.bias * FactorOf(wanted) - sum.lane.bias * applied.factor) + twice;
}

}  // namespace

double ErrorOfConvolution(const OperatorStep& step) {
  const ConvWorkload work = StepWorkload(step);
  const double error = ErrorBeforeFunction(step, work);
  return work.prelu ? ErrorOfBend(step.config, step.graph, *work.prelu, CodesOff(error)) : error;
}

StepPlan PlanConvolution(const OperatorStep& step) {
  const auto space = std::make_shared<const ConvolutionSpace>(step);
  const ConvTiling tiling =
      step.point ? ToTiling(*step.point)
                 : ChooseConvTiling(step.config, space->shape(), space->name(), step.searching);
  return ConvolutionSpace::Plan(space, tiling);
}

std::unique_ptr<StepSpace> SpaceOfConvolution(const OperatorStep& step) {
  return std::make_unique<ConvolutionSpace>(step);
}

Asked AskedOfConvolution(const OperatorStep& step, int64_t macs) {
  const isa::Config& config = step.config;
  const ConvWorkload conv = ConvWorkloadOf(config, step.graph, step.node, InterleaverOf(step));
  const ConvShape& s = conv.shape;
  const BlockSizes out = BlocksOf(config, step.graph.shape(step.output()));
  const int64_t samples = s.batch * config.arch.batch;
  const int64_t outputs = samples * conv.out_channels / conv.phases() * out.height * out.width;
  const int64_t weights = macs / (samples * s.out_h() * s.out_w());
  const int64_t rows = ParameterRows(EpilogueOf(config, s.wide_shift));
  const int64_t inputs = samples * conv.in_channels * s.lines_read() * s.columns_read();
  return {.bytes = inputs + weights + conv.out_channels * rows * kParameterBytes +
                   outputs * (AddOf(step) ? 2 : 1) + (step.lookup ? isa::kLutBytes : 0),
          .is_grouped = conv.groups > 1 && !conv.made,
          .has_wide_weights = s.weight_terms > 1};
}

}  // namespace vta::compiler::targets
