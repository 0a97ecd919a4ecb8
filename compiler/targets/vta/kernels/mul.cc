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

MulShape MulShapeOf(const OperatorStep& step) {
  const Node& node = step.node;
  return {BlocksOf(step.config, step.graph.shape(node.output)).rows(), node.Int("zero_a"),
          node.Int("zero_b")};
}

RowNeeds MulNeeds(const isa::Config& config, const MulShape& shape) {
  return {.rows = shape.rows, .inp = 2, .acc = 2, .wgt = 2, .epilogue = EpilogueOf(config)};
}

}  // namespace

Work MulWork(const isa::Config& config, const MulShape& shape) {
  const RowNeeds needs = MulNeeds(config, shape);
  Work work = RowWork(config, needs);
  work.alu += 3 * RowVectors(config, needs);
  work.second_reads += SecondReads(config, RowVectors(config, needs));
  work.bytes += DiagonalBytes(config);
  return work;
}

Scheduled ScheduleMul(const isa::Config& config, isa::Rounding rounding,
                      const isa::RequantLane& common, const std::string& name,
                      const MulShape& shape) {
  const Tensor a = RowOperand(config, "a", shape.rows), b = RowOperand(config, "b", shape.rows);
  const Tensor w = RowWeights(config, {});
  const std::vector<te::Axis> axes = RowAxes(config, shape.rows);
  std::vector<Stage> stages;
  const auto centred = [&](const std::string& stage, const Tensor& x, int64_t zero) {
    const te::ReduceAxis r("r", ChannelBlocks(config).in_parts), c("c", config.arch.block_in);
    stages.push_back({stage, "", kGemm});
    const Tensor wide = te::Compute(
        stage, axes,
        [&](Expr v, Expr q, Expr i, Expr k) -> te::Value {
          return te::ReduceSum(
              Cast(DType::kInt32, x(v, r, i, c)) * Cast(DType::kInt32, w(q, r, k, c)), {r, c});
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
  const Tensor left = centred("left", a, shape.zero_a), right = centred("right", b, shape.zero_b);
  const Tensor product = te::Compute(
      "product", axes,
      [&](const std::vector<Expr>& at) -> te::Value { return left.At(at) * right.At(at); },
      kAccScope);
  stages.push_back({"product", "left", "vta.mul"});
  return ScheduleRows(config, rounding, common, name, MulNeeds(config, shape),
                      {a, b, w, product, std::move(stages), 2, {"a", "b"}});
}

void RequireMul(const OperatorStep& step) {
  if (!step.config.arch.mul)
    Refuse(step.node, "arch.mul", "0", "a product needs the ALU operation mul");
  RequireSameShapes(step.graph, step.node);
  RowTile(step.config, step.name(), MulNeeds(step.config, MulShapeOf(step)));
}

std::vector<Work> MulLayouts(const OperatorStep& step) {
  return {MulWork(step.config, MulShapeOf(step))};
}

StepPlan PlanMul(const OperatorStep& step) {
  const isa::Config& config = step.config;
  const MulShape shape = MulShapeOf(step);
  const isa::RequantLane lane = LaneOf(step.node);
  return PlanRows(step, ScheduleMul(config, step.graph.rounding(), lane, step.name(), shape),
                  Diagonal(config, 1),
                  RowLanes(config, MulNeeds(config, shape), lane, kMostProduct));
}

}  // namespace vta::compiler::targets
