#include "compiler/targets/vta/kernels/elementwise.h"

#include <algorithm>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/steps.h"
#include "compiler/targets/vta/lower/intrinsics.h"
#include "compiler/targets/vta/lower/scratchpad.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

using loop::DType;
using loop::Expr;
using te::Tensor;

constexpr int64_t kDigitBits = 7;
constexpr int64_t kHalves = 2;

std::vector<te::Axis> RowAxes(const isa::Config& config, int64_t rows) {
  return {{"v", rows},
          {"q", ChannelBlocks(config).out_parts},
          {"b", config.arch.batch},
          {"k", config.arch.block_out}};
}

Tensor Operand(const isa::Config& config, const std::string& name, int64_t rows) {
  return te::Placeholder(
      name, {rows, ChannelBlocks(config).in_parts, config.arch.batch, config.arch.block_in});
}

/// Weights of `sets` block-wise products.
Tensor Weights(const isa::Config& config, std::vector<int64_t> sets) {
  const ChannelBlocks blocks(config);
  for (const int64_t extent :
       {blocks.out_parts, blocks.in_parts, config.arch.block_out, config.arch.block_in})
    sets.push_back(extent);
  return te::Placeholder("w", sets);
}

/// The parameter tensor and its copy in accumulator memory.
struct Parameters {
  Tensor p, loaded;

  Parameters(const isa::Config& config, EpilogueKind epilogue)
      : p(te::Placeholder("p",
                          {ChannelBlocks(config).out_parts, ParameterRows(epilogue),
                           config.arch.batch, config.arch.block_out},
                          DType::kInt32)),
        loaded(te::Compute(
            "p_acc",
            {{"blk", p.shape()[0]},
             {"r", p.shape()[1]},
             {"b", config.arch.batch},
             {"k", config.arch.block_out}},
            [this](const std::vector<Expr>& at) -> te::Value { return p.At(at); }, kAccScope)) {}
};

/// What follows the accumulators: the epilogue and the narrowing copy.
Tensor FinishSum(const isa::Config& config, EpilogueKind epilogue, isa::Rounding rounding,
                 const isa::RequantLane& common, const Tensor& acc, int64_t rows,
                 const Parameters& parameters, std::vector<Stage>* stages) {
  const std::vector<te::Axis> axes = RowAxes(config, rows);
  const Tensor last = AddEpilogue(
      epilogue, rounding, Shared(common), acc, axes, parameters.loaded,
      [](const std::vector<Expr>& at) { return at[1]; }, stages);
  return te::Compute("y", axes, [&](const std::vector<Expr>& at) -> te::Value {
    return Cast(DType::kInt8, last.At(at));
  });
}

constexpr const char* kGemm = "vta.gemm";

/// Tiles y by `tile` rows and computes everything else in the tile. `stages` are GEMM's sums, with
/// `reduce` reduction loops, which start rows where they are over none, and the ALU's, in order.
void ScheduleRows(const isa::Config& config, int64_t tile, const std::vector<std::string>& loads,
                  size_t reduce, const std::vector<Stage>& stages, loop::Schedule* schedule) {
  ScheduleSteps s(schedule);
  const size_t lanes = ElementShape(config, kAccScope).size();
  const std::string outer = s.Do("split", "y", "v", tile)[0];
  for (size_t i = stages.size(); i-- > 0;) s.Do("compute_at", stages[i].block, "y", outer);
  for (const std::string& load : loads) {
    s.Do("compute_at", load, "y", outer);
    s.Do("annotate", load, "-", kSlotsAnnotation, kHalves);
  }
  for (const Stage& stage : stages)
    if (!stage.over.empty()) s.Do("inplace", stage.block, stage.over);
  for (const auto& [sum, over, intrinsic] : stages) {
    if (intrinsic != kGemm) {
      s.Do("tensorize", sum, s.Inner(sum, lanes), intrinsic);
      continue;
    }
    // v q b k, then the reduction: operands where there are several, parts, lanes.
    std::vector<std::string> order;
    for (size_t i = 0; i + 1 < reduce; ++i) order.push_back(s.Inner(sum, reduce, i));
    for (size_t i = 0; i < 4; ++i) order.push_back(s.Inner(sum, 4 + reduce, i));
    order.push_back(s.Inner(sum, 1));
    s.Reorder(sum, order);
    if (over.empty()) {
      s.Do("annotate", sum, "-", kSlotsAnnotation, kHalves);
      const std::string init = s.Do("decompose_reduction", sum, s.Inner(sum, 4 + reduce))[0];
      s.Do("tensorize", init, s.Inner(init, lanes), kGemm);
    }
    s.Do("tensorize", sum, s.Inner(sum, lanes + 1), kGemm);
  }
}

/// What one row of a tile takes, in blocks of channels, and the weights.
struct RowNeeds {
  int64_t inp, acc, wgt;
  EpilogueKind epilogue;
};
RowNeeds AddNeeds(const isa::Config& config, const AddShape& shape) {
  // Each digit's sum loads all of the weights.
  const int64_t digits = shape.two_digits ? 2 : 1;
  return {2, 1, digits * digits * 2, EpilogueOf(config, shape.wide_shift)};
}
RowNeeds MulNeeds(const isa::Config& config) { return {2, 2, 2, EpilogueOf(config)}; }

/// The most rows of a tile; few enough that two tiles overlap.
int64_t RowTile(const isa::Config& config, const std::string& name, int64_t rows,
                const RowNeeds& needs) {
  const ChannelBlocks blocks(config);
  const int64_t parameters = ParameterRows(needs.epilogue) * blocks.out_parts;
  // A copy of the parameters in each bank of the accumulator; one, where these leave no room.
  int64_t most = 0;
  for (const int64_t copies : {config.uarch.acc_banks, int64_t{1}})
    if (most < 1)
      most = std::min(
          config.arch.inp_depth / (needs.inp * blocks.in_parts * kHalves),
          (config.arch.acc_depth - parameters * copies) / (needs.acc * blocks.out_parts * kHalves));
  if (most < 1 || needs.wgt * blocks.in_parts * blocks.out_parts > config.arch.wgt_depth)
    throw Error(name, "tile", "none", "one row must fit the scratchpads of the config twice");
  const int64_t parts = std::max<int64_t>((rows + most - 1) / most, std::min<int64_t>(rows, 4));
  return (rows + parts - 1) / parts;
}

int64_t Vectors(const isa::Config& config, int64_t rows) {
  return rows * ChannelBlocks(config).out_parts;
}

int64_t DiagonalBytes(const isa::Config& config) {
  const ChannelBlocks blocks(config);
  return blocks.in_parts * blocks.out_parts * config.wgt_bytes();
}

/// Each operand widened once, and an epilogue.
Work TwoOperandWork(const isa::Config& config, int64_t rows, EpilogueKind epilogue) {
  const ChannelBlocks blocks(config);
  const int64_t vectors = Vectors(config, rows);
  Work work;
  work.widenings = 2 * vectors * blocks.in_parts;
  work.alu = vectors * AluPasses(epilogue);
  work.bytes = 2 * rows * blocks.in_parts * config.inp_bytes() + vectors * config.out_bytes() +
               blocks.out_parts * ParameterRows(epilogue) * config.acc_bytes();
  return work;
}

Expr Wide(const Expr& value) { return Cast(DType::kInt32, value); }

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

void RequireAdd(const isa::Config& config, const std::string& name, const AddShape& shape) {
  RowTile(config, name, shape.rows, AddNeeds(config, shape));
}

void RequireMul(const isa::Config& config, const std::string& name, const MulShape& shape) {
  RowTile(config, name, shape.rows, MulNeeds(config));
}

Work AddWork(const isa::Config& config, const AddShape& shape) {
  const int64_t digits = shape.two_digits ? 2 : 1;
  Work work = TwoOperandWork(config, shape.rows, EpilogueOf(config, shape.wide_shift));
  work.widenings *= digits;
  work.resets = Vectors(config, shape.rows) * ResetPasses(config);
  work.alu += Vectors(config, shape.rows) * (shape.two_digits + (shape.shift != 0));
  work.bytes += digits * 2 * DiagonalBytes(config);
  return work;
}

Work MulWork(const isa::Config& config, const MulShape& shape) {
  Work work = TwoOperandWork(config, shape.rows, EpilogueOf(config));
  work.resets = 2 * Vectors(config, shape.rows) * ResetPasses(config);
  work.alu += 3 * Vectors(config, shape.rows);  // both are centred and multiplied
  work.bytes += DiagonalBytes(config);
  return work;
}

Scheduled ScheduleAdd(const isa::Config& config, isa::Rounding rounding,
                      const isa::RequantLane& common, const std::string& name,
                      const AddShape& shape) {
  const isa::Arch& arch = config.arch;
  const int64_t digits = shape.two_digits ? 2 : 1;
  const Tensor a = Operand(config, "a", shape.rows), b = Operand(config, "b", shape.rows);
  const Tensor w = Weights(config, {digits, 2});
  const int64_t parts = ChannelBlocks(config).in_parts;
  const Tensor both = te::Compute(
      "both", {{"t", 2}, {"v", shape.rows}, {"r", parts}, {"b", arch.batch}, {"c", arch.block_in}},
      [&](Expr t, Expr v, Expr r, Expr i, Expr c) -> te::Value {
        return Select(t < 1, a(v, r, i, c), b(v, r, i, c));
      },
      kInpScope);
  const std::vector<te::Axis> axes = RowAxes(config, shape.rows);
  std::vector<Stage> stages;
  std::vector<std::string> sums;  // by which w is read
  auto sum = [&](const std::string& stage, int digit, const std::optional<Tensor>& start) {
    const te::ReduceAxis t("t", 2), r("r", parts), c("c", arch.block_in);
    sums.push_back(stage);
    stages.push_back({stage, start ? sums.front() : "", kGemm});
    return te::Compute(
        stage, axes,
        [&](const std::vector<Expr>& at) -> te::Value {
          te::Reduction sum = te::ReduceSum(
              Wide(both(t, at[0], r, at[2], c)) * Wide(w(Expr(digit), t, at[1], r, at[3], c)),
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
  const EpilogueKind epilogue = EpilogueOf(config, shape.wide_shift);
  const Parameters parameters(config, epilogue);
  const size_t own = stages.size();
  if (shape.shift) acc = ShiftStage("scaled", acc, axes, -shape.shift, sums.front(), &stages);
  const Tensor y =
      FinishSum(config, epilogue, rounding, common, acc, shape.rows, parameters, &stages);
  for (size_t i = own; i < stages.size(); ++i) stages[i].over = sums.front();
  loop::Function definition = te::Lower(name, {a, b, w, parameters.p, y});
  loop::Schedule schedule(definition, Intrinsics(config, rounding));
  ScheduleSteps s(&schedule);
  for (const std::string& stage : sums) s.Do("cache_read", stage, "w", kWgtScope);
  ScheduleRows(config, RowTile(config, name, shape.rows, AddNeeds(config, shape)), {"both"}, 3,
               stages, &schedule);
  return {std::move(definition), std::move(schedule)};
}

Scheduled ScheduleMul(const isa::Config& config, isa::Rounding rounding,
                      const isa::RequantLane& common, const std::string& name,
                      const MulShape& shape) {
  const isa::Arch& arch = config.arch;
  const Tensor a = Operand(config, "a", shape.rows), b = Operand(config, "b", shape.rows);
  const Tensor w = Weights(config, {});
  const std::vector<te::Axis> axes = RowAxes(config, shape.rows);
  std::vector<Stage> stages;
  auto centred = [&](const std::string& stage, const Tensor& x, int64_t zero) {
    const te::ReduceAxis r("r", ChannelBlocks(config).in_parts), c("c", arch.block_in);
    stages.push_back({stage, "", kGemm});
    const Tensor wide = te::Compute(
        stage, axes,
        [&](Expr v, Expr q, Expr i, Expr k) -> te::Value {
          return te::ReduceSum(Wide(x(v, r, i, c)) * Wide(w(q, r, k, c)), {r, c});
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
  const EpilogueKind epilogue = EpilogueOf(config);
  const Parameters parameters(config, epilogue);
  const size_t own = stages.size();
  const Tensor y =
      FinishSum(config, epilogue, rounding, common, product, shape.rows, parameters, &stages);
  for (size_t i = own; i < stages.size(); ++i) stages[i].over = "left";
  loop::Function definition = te::Lower(name, {a, b, w, parameters.p, y});
  loop::Schedule schedule(definition, Intrinsics(config, rounding));
  ScheduleSteps s(&schedule);
  std::vector<std::string> loads;
  for (const char* stage : {"left", "right"}) {
    s.Do("cache_read", stage, "w", kWgtScope);
    loads.push_back(
        s.Do("cache_read", stage, stage == std::string("left") ? "a" : "b", kInpScope)[0]);
  }
  ScheduleRows(config, RowTile(config, name, shape.rows, MulNeeds(config)), loads, 2, stages,
               &schedule);
  return {std::move(definition), std::move(schedule)};
}

}  // namespace vta::compiler::targets
