#include "compiler/targets/vta/kernels/add.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/constants.h"
#include "compiler/targets/vta/kernels/elementwise.h"
#include "compiler/targets/vta/kernels/nodes.h"
#include "compiler/targets/vta/lower/intrinsics.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

using loop::DType;
using loop::Expr;
using te::Tensor;

constexpr int64_t kDigitBits = 7;

int64_t DigitCount(const AddShape& shape) { return shape.two_digits ? 2 : 1; }

RowNeeds AddNeeds(const isa::Config& config, const AddShape& shape) {
  return {.rows = shape.rows,
          .acc = 1,
          .second_acc = 0,
          .wgt = DigitCount(shape) * 2,
          .epilogue = EpilogueOf(config, shape.wide_shift),
          .table = shape.table};
}

/// The sums of GEMM, in accumulators.
class DigitSums {
 public:
  DigitSums(const isa::Config& config, const RowGroups& rows, const Tensor& a, const Tensor& b,
            const Tensor& w)
      : rows_(rows),
        axes_(RowAxes(config, rows.sizes())),
        parts_(ChannelBlocks(config).in_parts),
        lanes_(config.arch.block_in),
        w_(InScratchpad(w, kWgtScope)) {
    if (rows.is_gate()) {
      operands_ = {InScratchpad(a, kInpScope), InScratchpad(b, kInpScope)};
      return;
    }
    const std::vector<int64_t>& row = a.shape();
    operands_ = {te::Compute(
        "both", {{"t", 2}, {"v", row[0]}, {"r", row[1]}, {"b", row[2]}, {"c", row[3]}},
        [&](Expr t, Expr v, Expr r, Expr i, Expr c) -> te::Value {
          return Select(t < 1, a(v, r, i, c), b(v, r, i, c));
        },
        kInpScope)};
  }

  /// A digit of both operands on top of `start`: in one sum, or in one for each where their rows
  /// differ.
  Tensor Add(const std::string& name, int64_t digit, std::optional<Tensor> start,
             std::vector<Stage>* stages) const {
    if (!rows_.is_gate()) {
      const te::ReduceAxis t("t", 2);
      return Sum(
          name, {t}, digit, t, start,
          [&](std::vector<Expr> at) {
            at.insert(at.begin(), t);
            return operands_[0].At(at);
          },
          stages);
    }
    const Tensor first = Sum(
        name + "_of_a", {}, digit, Expr(0), start,
        [&](const std::vector<Expr>& at) { return operands_[0].At(at); }, stages);
    return Sum(
        name, {}, digit, Expr(1), first,
        [&](const std::vector<Expr>& at) { return operands_[1].At(SecondAt(rows_, at)); }, stages);
  }
  std::vector<std::string> Loads() const {
    std::vector<std::string> names;
    for (const Tensor& operand : operands_) names.push_back(operand.name());
    return names;
  }
  size_t reductions() const { return rows_.is_gate() ? 2 : 3; }

 private:
  template <typename F>
  Tensor Sum(const std::string& name, std::vector<te::ReduceAxis> over, int64_t digit,
             const Expr& operand, const std::optional<Tensor>& start, const F& element,
             std::vector<Stage>* stages) const {
    const te::ReduceAxis r("r", parts_), c("c", lanes_);
    over.insert(over.end(), {r, c});
    stages->push_back({name, start ? stages->front().block : "", kGemm});
    return te::Compute(
        name, axes_,
        [&](const std::vector<Expr>& at) -> te::Value {
          const Expr &q = at[at.size() - 3], &k = at.back();
          te::Reduction sum =
              te::ReduceSum(Cast(DType::kInt32, element(OperandAt(at, r, c))) *
                                Cast(DType::kInt32, w_(Expr(digit), operand, q, r, k, c)),
                            over);
          return start ? te::From(start->At(at), std::move(sum)) : sum;
        },
        kAccScope);
  }

  const RowGroups rows_;
  const std::vector<te::Axis> axes_;
  const int64_t parts_, lanes_;
  const Tensor w_;
  std::vector<Tensor> operands_;  // in the scratchpad, both together or each
};

/// Shape: as ScheduleAdd's w.
std::vector<uint8_t> DigitDiagonals(const isa::Config& config, const AddWorkload& work) {
  std::vector<uint8_t> low, high;
  for (const int64_t factor : work.factors) {
    const Digits digits = DigitsOf(factor);
    for (auto [block, to] : {std::pair(Diagonal(config, digits.low), &low),
                             std::pair(Diagonal(config, digits.high), &high)})
      to->insert(to->end(), block.begin(), block.end());
  }
  if (work.shape.two_digits) low.insert(low.end(), high.begin(), high.end());
  return low;
}

}  // namespace

Digits DigitsOf(int64_t multiplier) {
  VTA_CHECK(std::abs(multiplier) <= kMostMultiplier, multiplier);
  const int64_t high = (multiplier + 64) >> kDigitBits;
  return {static_cast<int8_t>(high), static_cast<int8_t>(multiplier - (high << kDigitBits))};
}

SumFactors TakeOutShift(int64_t a, int64_t b) {
  constexpr int64_t kOneDigit = 63, kMostShift = 16;  // of an immediate
  for (const int64_t most : {kOneDigit, kMostMultiplier})
    for (int64_t shift = 0; shift <= kMostShift; ++shift) {
      const int64_t unit = int64_t{1} << shift;
      if (a % unit != 0 || b % unit != 0) break;
      if (std::max(std::abs(a), std::abs(b)) / unit <= most) return {a / unit, b / unit, shift};
    }
  return {a, b, 0};
}

Work AddWork(const isa::Config& config, const AddShape& shape) {
  const RowNeeds needs = AddNeeds(config, shape);
  Work work = RowWork(config, needs);
  work.widenings *= DigitCount(shape);
  work.alu += RowVectors(config, shape.rows) * (shape.two_digits + (shape.shift != 0));
  work.bytes += DigitCount(shape) * 2 * DiagonalBytes(config);
  return work;
}

Scheduled ScheduleAdd(const isa::Config& config, isa::Rounding rounding,
                      const isa::RequantLane& common, const std::string& name,
                      const AddShape& shape) {
  const std::vector<int64_t> sizes = shape.rows.sizes();
  const Tensor a = RowOperand(config, "a", sizes);
  const Tensor b = RowOperand(config, "b", {shape.rows.groups});
  const Tensor w = RowWeights(config, {DigitCount(shape), 2});
  const DigitSums sums(config, shape.rows, a, b, w);
  const std::vector<te::Axis> axes = RowAxes(config, sizes);
  std::vector<Stage> stages;
  std::optional<Tensor> high;
  if (shape.two_digits) {
    const Tensor digits = sums.Add("high_digits", 1, {}, &stages);
    high = ShiftStage("shifted", digits, axes, -kDigitBits, stages.front().block, &stages);
  }
  Tensor acc = sums.Add("low_digits", 0, high, &stages);
  if (shape.shift)
    acc = ShiftStage("scaled", acc, axes, -shape.shift, stages.front().block, &stages);
  return ScheduleRows(config, rounding, common, name, AddNeeds(config, shape),
                      {a, b, w, acc, std::move(stages), sums.reductions(), sums.Loads()});
}

AddWorkload AddWorkloadOf(const isa::Config& config, const Graph& graph, const Node& node) {
  const RowOperands operands = RowOperandsOf(config, graph, node);
  const int64_t a = node.Int("multiplier_a"), b = node.Int("multiplier_b");
  const AbsorbedScale scale =
      AbsorbScale(config, LaneOf(node), std::max(std::abs(a), std::abs(b)), kMostMultiplier);
  const SumFactors sum = TakeOutShift(std::lround(a * scale.factor), std::lround(b * scale.factor));
  for (const int64_t factor : {sum.a, sum.b})
    if (std::abs(factor) > kMostMultiplier)
      Refuse(node, "multiplier", std::to_string(factor),
             StrCat("must be at most ", kMostMultiplier, " times a power of two of both"));
  const auto [first, second] = operands.InOrder(sum.a, sum.b);
  return {operands,
          scale.lane,
          {first, second},
          {.rows = operands.rows,
           .two_digits = sum.two_digits(),
           .shift = sum.shift,
           .wide_shift = NeedsWideShift(config, node, scale.lane)}};
}

namespace {

/// The largest magnitude of the sums.
int64_t MostSum(const AddWorkload& work) {
  return 128 * (std::abs(work.factors[0]) + std::abs(work.factors[1])) << work.shape.shift;
}

AddWorkload StepWorkload(const OperatorStep& step) {
  AddWorkload work = AddWorkloadOf(step.config, step.graph, step.node);
  work.shape.table = step.lookup != nullptr;
  return work;
}

}  // namespace

double ErrorOfAdd(const OperatorStep& step) {
  constexpr double kMostCode = 128;
  const AddWorkload work = StepWorkload(step);
  const isa::RequantLane wanted = LaneOf(step.node);
  const AppliedScale applied = ScaleApplied(step.config, work.lane, MostSum(work));
  const double twice = ErrorOfRounding(step.config, step.graph.rounding(), wanted);
  const auto [a, b] =
      work.operands.InOrder(step.node.Int("multiplier_a"), step.node.Int("multiplier_b"));
  const int64_t unit = int64_t{1} << work.shape.shift;
  if (work.factors[0] * unit == a && work.factors[1] * unit == b && work.lane.bias == wanted.bias)
    return ErrorOfScale(FactorOf(wanted), applied,
                        static_cast<double>(MostSum(work) + std::abs(int64_t{wanted.bias}))) +
           twice;
  const auto error = [&](int64_t value, int64_t made) {
    return std::abs(static_cast<double>(value) * FactorOf(wanted) -
                    static_cast<double>(made) * applied.factor);
  };
  return kMostCode * (error(a, work.factors[0] * unit) + error(b, work.factors[1] * unit)) +
         error(wanted.bias, work.lane.bias) + applied.lost + twice;
}

void RequireAdd(const OperatorStep& step) {
  RowTile(step.config, step.name(), AddNeeds(step.config, StepWorkload(step).shape));
}

std::vector<Work> AddLayouts(const OperatorStep& step) {
  return {AddWork(step.config, StepWorkload(step).shape)};
}

StepPlan PlanAdd(const OperatorStep& step) {
  const isa::Config& config = step.config;
  const AddWorkload work = StepWorkload(step);
  return PlanRows(
      step, work.operands,
      ScheduleAdd(config, step.graph.rounding(), LaneOf(step.node), step.name(), work.shape),
      DigitDiagonals(config, work),
      RowLanes(config, AddNeeds(config, work.shape), work.lane, MostSum(work)));
}

}  // namespace vta::compiler::targets
