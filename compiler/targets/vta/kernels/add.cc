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

/// Each digit's sum loads all of the weights.
RowNeeds AddNeeds(const isa::Config& config, const AddShape& shape) {
  return {.rows = shape.rows,
          .inp = 2,
          .acc = 1,
          .wgt = DigitCount(shape) * DigitCount(shape) * 2,
          .epilogue = EpilogueOf(config, shape.wide_shift)};
}

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
  work.alu += RowVectors(config, needs) * (shape.two_digits + (shape.shift != 0));
  work.bytes += DigitCount(shape) * 2 * DiagonalBytes(config);
  return work;
}

Scheduled ScheduleAdd(const isa::Config& config, isa::Rounding rounding,
                      const isa::RequantLane& common, const std::string& name,
                      const AddShape& shape) {
  const isa::Arch& arch = config.arch;
  const Tensor a = RowOperand(config, "a", shape.rows), b = RowOperand(config, "b", shape.rows);
  const Tensor w = RowWeights(config, {DigitCount(shape), 2});
  const int64_t parts = ChannelBlocks(config).in_parts;
  const Tensor both = te::Compute(
      "both", {{"t", 2}, {"v", shape.rows}, {"r", parts}, {"b", arch.batch}, {"c", arch.block_in}},
      [&](Expr t, Expr v, Expr r, Expr i, Expr c) -> te::Value {
        return Select(t < 1, a(v, r, i, c), b(v, r, i, c));
      },
      kInpScope);
  const std::vector<te::Axis> axes = RowAxes(config, shape.rows);
  std::vector<Stage> stages;
  auto sum = [&](const std::string& stage, int digit, const std::optional<Tensor>& start) {
    const te::ReduceAxis t("t", 2), r("r", parts), c("c", arch.block_in);
    stages.push_back({stage, start ? stages.front().block : "", kGemm});
    return te::Compute(
        stage, axes,
        [&](const std::vector<Expr>& at) -> te::Value {
          te::Reduction sum =
              te::ReduceSum(Cast(DType::kInt32, both(t, at[0], r, at[2], c)) *
                                Cast(DType::kInt32, w(Expr(digit), t, at[1], r, at[3], c)),
                            {t, r, c});
          return start ? te::From(start->At(at), std::move(sum)) : sum;
        },
        kAccScope);
  };
  std::optional<Tensor> high;
  if (shape.two_digits)
    high =
        ShiftStage("shifted", sum("high_digits", 1, {}), axes, -kDigitBits, "high_digits", &stages);
  Tensor acc = sum("low_digits", 0, high);
  if (shape.shift)
    acc = ShiftStage("scaled", acc, axes, -shape.shift, stages.front().block, &stages);
  return ScheduleRows(config, rounding, common, name, AddNeeds(config, shape),
                      {a, b, w, acc, std::move(stages), 3, {}});
}

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
          {.rows = BlocksOf(config, graph.shape(node.output)).rows(),
           .two_digits = sum.two_digits(),
           .shift = sum.shift,
           .wide_shift = NeedsWideShift(config, node, scale.lane)}};
}

void RequireAdd(const OperatorStep& step) {
  RequireSameShapes(step.graph, step.node);
  const AddShape shape = AddWorkloadOf(step.config, step.graph, step.node).shape;
  RowTile(step.config, step.name(), AddNeeds(step.config, shape));
}

std::vector<Work> AddLayouts(const OperatorStep& step) {
  return {AddWork(step.config, AddWorkloadOf(step.config, step.graph, step.node).shape)};
}

StepPlan PlanAdd(const OperatorStep& step) {
  const isa::Config& config = step.config;
  const AddWorkload work = AddWorkloadOf(config, step.graph, step.node);
  const int64_t most = 128 * (std::abs(work.factors[0]) + std::abs(work.factors[1]))
                       << work.shape.shift;
  return PlanRows(
      step, ScheduleAdd(config, step.graph.rounding(), LaneOf(step.node), step.name(), work.shape),
      DigitDiagonals(config, work),
      RowLanes(config, AddNeeds(config, work.shape), work.lane, most));
}

}  // namespace vta::compiler::targets
