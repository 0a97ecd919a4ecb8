#include "compiler/targets/vta/kernels/mul.h"

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/constants.h"
#include "compiler/targets/vta/kernels/elementwise.h"
#include "compiler/targets/vta/kernels/nodes.h"
#include "compiler/targets/vta/lower/intrinsics.h"

namespace vta::compiler::targets {
namespace {

using loop::DType;
using loop::Expr;
using te::Tensor;

constexpr int64_t kMostProduct = 255 * 255;

MulShape MulShapeOf(const OperatorStep& step, const RowOperands& operands) {
  const auto [zero_a, zero_b] = operands.InOrder(step.node.Int("zero_a"), step.node.Int("zero_b"));
  return {operands.rows, zero_a, zero_b, step.lookup != nullptr};
}
RowOperands OperandsOf(const OperatorStep& step) {
  return RowOperandsOf(step.config, step.graph, step.node);
}

RowNeeds MulNeeds(const isa::Config& config, const MulShape& shape) {
  return {.rows = shape.rows,
          .acc = 1,
          .second_acc = 1,
          .wgt = 1,
          .epilogue = EpilogueOf(config),
          .table = shape.table};
}

}  // namespace

Work MulWork(const isa::Config& config, const MulShape& shape) {
  const RowNeeds needs = MulNeeds(config, shape);
  const int64_t vectors = RowVectors(config, shape.rows);
  Work work = RowWork(config, needs);
  work.alu += 2 * vectors + SecondVectors(config, shape.rows);
  work.second_reads += SecondReads(config, vectors);
  work.bytes += DiagonalBytes(config);
  return work;
}

Scheduled ScheduleMul(const isa::Config& config, isa::Rounding rounding,
                      const isa::RequantLane& common, const std::string& name,
                      const MulShape& shape) {
  const std::vector<int64_t> sizes = shape.rows.sizes(), second = {shape.rows.groups};
  const Tensor a = RowOperand(config, "a", sizes), b = RowOperand(config, "b", second);
  const Tensor w = RowWeights(config, {}), diagonal = InScratchpad(w, kWgtScope);
  std::vector<Stage> stages;
  std::vector<std::string> loads;
  const auto centred = [&](const std::string& stage, const Tensor& operand,
                           const std::vector<int64_t>& rows, int64_t zero) {
    const Tensor x = InScratchpad(operand, kInpScope);
    loads.push_back(x.name());
    const te::ReduceAxis r("r", ChannelBlocks(config).in_parts), c("c", config.arch.block_in);
    const std::vector<te::Axis> axes = RowAxes(config, rows);
    stages.push_back({stage, "", kGemm});
    const Tensor wide = te::Compute(
        stage, axes,
        [&](const std::vector<Expr>& at) -> te::Value {
          const Expr &q = at[rows.size()], &k = at.back();
          return te::ReduceSum(Cast(DType::kInt32, x.At(OperandAt(at, r, c))) *
                                   Cast(DType::kInt32, diagonal(q, r, k, c)),
                               {r, c});
        },
        kAccScope);
    stages.push_back({stage + "_centred", stage, "vta.add_imm"});
    return te::Compute(
        stage + "_centred", axes,
        [&](const std::vector<Expr>& at) -> te::Value {
          return wide.At(at) + loop::IntConst(DType::kInt32, -zero);
        },
        kAccScope);
  };
  const Tensor left = centred("left", a, sizes, shape.zero_a),
               right = centred("right", b, second, shape.zero_b);
  const Tensor product = te::Compute(
      "product", RowAxes(config, sizes),
      [&](const std::vector<Expr>& at) -> te::Value {
        return left.At(at) * right.At(SecondAt(shape.rows, at));
      },
      kAccScope);
  stages.push_back({"product", "left", "vta.mul"});
  return ScheduleRows(config, rounding, common, name, MulNeeds(config, shape),
                      {a, b, w, product, std::move(stages), 2, std::move(loads)});
}

double ErrorOfMul(const OperatorStep& step) {
  const isa::RequantLane lane = LaneOf(step.node);
  const auto most = static_cast<double>(kMostProduct + std::abs(int64_t{lane.bias}));
  return ErrorOfScale(FactorOf(lane), ScaleApplied(step.config, lane, kMostProduct), most) +
         ErrorOfRounding(step.config, step.graph.rounding(), lane);
}

void RequireMul(const OperatorStep& step) {
  if (!step.config.arch.mul)
    Refuse(step.node, "arch.mul", "0", "a product needs the ALU operation mul");
  RowTile(step.config, step.name(), MulNeeds(step.config, MulShapeOf(step, OperandsOf(step))));
}

std::vector<Work> MulLayouts(const OperatorStep& step) {
  return {MulWork(step.config, MulShapeOf(step, OperandsOf(step)))};
}

StepPlan PlanMul(const OperatorStep& step) {
  const isa::Config& config = step.config;
  const RowOperands operands = OperandsOf(step);
  const MulShape shape = MulShapeOf(step, operands);
  const isa::RequantLane lane = LaneOf(step.node);
  return PlanRows(
      step, operands, ScheduleMul(config, step.graph.rounding(), lane, step.name(), shape),
      Diagonal(config, 1), RowLanes(config, MulNeeds(config, shape), lane, kMostProduct));
}

}  // namespace vta::compiler::targets
