#include "compiler/targets/vta/kernels/elementwise.h"

#include <algorithm>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/constants.h"
#include "compiler/targets/vta/kernels/conv.h"
#include "compiler/targets/vta/kernels/steps.h"
#include "compiler/targets/vta/lower/intrinsics.h"
#include "compiler/targets/vta/lower/scratchpad.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

using loop::DType;
using loop::Expr;
using te::Tensor;

constexpr int64_t kHalves = 2;

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

/// What follows the accumulators: the epilogue, whose stages are appended, and the narrowing copy.
Tensor FinishSum(const isa::Config& config, isa::Rounding rounding, const isa::RequantLane& common,
                 const RowNeeds& needs, const Parameters& parameters, RowKernel* kernel) {
  const std::vector<te::Axis> axes = RowAxes(config, needs.rows);
  const size_t own = kernel->stages.size();
  const Tensor last = AddEpilogue(
      needs.epilogue, rounding, Shared(common), kernel->acc, axes, parameters.loaded,
      [](const std::vector<Expr>& at) { return at[1]; }, &kernel->stages);
  for (size_t i = own; i < kernel->stages.size(); ++i)
    kernel->stages[i].over = kernel->stages.front().block;
  return te::Compute("y", axes, [&](const std::vector<Expr>& at) -> te::Value {
    return Cast(DType::kInt8, last.At(at));
  });
}

/// Has GEMM's sums read what lies in the scratchpads. Returns the blocks that load operands.
std::vector<std::string> ReadScratchpads(const RowKernel& kernel, ScheduleSteps* s) {
  std::vector<std::string> loads;
  for (const Stage& stage : kernel.stages) {
    if (stage.intrinsic != kGemm) continue;
    s->Do("cache_read", stage.block, "w", kWgtScope);
    if (kernel.loads.empty()) continue;
    const std::string& operand = kernel.loads.at(loads.size());
    loads.push_back(s->Do("cache_read", stage.block, operand, kInpScope)[0]);
  }
  return loads.empty() ? std::vector<std::string>{"both"} : loads;
}

/// Tiles y by `tile` rows and computes everything else in the tile.
void TileRows(const isa::Config& config, int64_t tile, const std::vector<std::string>& loads,
              const RowKernel& kernel, ScheduleSteps& s) {
  const size_t lanes = ElementShape(config, kAccScope).size(), reduce = kernel.reductions;
  const std::vector<Stage>& stages = kernel.stages;
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

}  // namespace

int64_t RowTile(const isa::Config& config, const std::string& name, const RowNeeds& needs) {
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
  const int64_t parts = std::max(CeilDiv(needs.rows, most), std::min<int64_t>(needs.rows, 4));
  return CeilDiv(needs.rows, parts);
}

int64_t RowVectors(const isa::Config& config, const RowNeeds& needs) {
  return needs.rows * ChannelBlocks(config).out_parts;
}

int64_t DiagonalBytes(const isa::Config& config) {
  const ChannelBlocks blocks(config);
  return blocks.in_parts * blocks.out_parts * config.wgt_bytes();
}

Work RowWork(const isa::Config& config, const RowNeeds& needs) {
  const ChannelBlocks blocks(config);
  const int64_t vectors = RowVectors(config, needs);
  Work work;
  work.widenings = 2 * vectors * blocks.in_parts;
  work.resets = needs.acc * vectors * ResetPasses(config);
  work.alu = vectors * AluPasses(needs.epilogue);
  work.second_reads = SecondReads(config, vectors * TensorPasses(needs.epilogue));
  work.bytes = 2 * needs.rows * blocks.in_parts * config.inp_bytes() +
               vectors * config.out_bytes() +
               blocks.out_parts * ParameterRows(needs.epilogue) * config.acc_bytes();
  return work;
}

std::vector<te::Axis> RowAxes(const isa::Config& config, int64_t rows) {
  return {{"v", rows},
          {"q", ChannelBlocks(config).out_parts},
          {"b", config.arch.batch},
          {"k", config.arch.block_out}};
}

Tensor RowOperand(const isa::Config& config, const std::string& name, int64_t rows) {
  return te::Placeholder(
      name, {rows, ChannelBlocks(config).in_parts, config.arch.batch, config.arch.block_in});
}

Tensor RowWeights(const isa::Config& config, std::vector<int64_t> sets) {
  const ChannelBlocks blocks(config);
  for (const int64_t extent :
       {blocks.out_parts, blocks.in_parts, config.arch.block_out, config.arch.block_in})
    sets.push_back(extent);
  return te::Placeholder("w", sets);
}

Scheduled ScheduleRows(const isa::Config& config, isa::Rounding rounding,
                       const isa::RequantLane& common, const std::string& name,
                       const RowNeeds& needs, RowKernel kernel) {
  const Parameters parameters(config, needs.epilogue);
  const Tensor y = FinishSum(config, rounding, common, needs, parameters, &kernel);
  loop::Function definition = te::Lower(name, {kernel.a, kernel.b, kernel.w, parameters.p, y});
  const int64_t tile = RowTile(config, name, needs);
  return {definition, [definition, &config, rounding, tile, kernel = std::move(kernel)](auto memo) {
            loop::Schedule schedule(definition, Intrinsics(config, rounding),
                                    loop::Verified::kNever, std::move(memo));
            ScheduleSteps s(&schedule);
            const std::vector<std::string> loads = ReadScratchpads(kernel, &s);
            TileRows(config, tile, loads, kernel, s);
            return schedule;
          }};
}

std::vector<uint8_t> RowLanes(const isa::Config& config, const RowNeeds& needs,
                              const isa::RequantLane& lane, int64_t most) {
  const size_t lanes = ChannelBlocks(config).channels;
  return Bytes(PackParameters(config, std::vector<isa::RequantLane>(lanes, lane),
                              std::vector<int64_t>(lanes, most),
                              needs.epilogue == EpilogueKind::kWideShift));
}

StepPlan PlanRows(const OperatorStep& step, Scheduled kernel, std::vector<uint8_t> w,
                  std::vector<uint8_t> p) {
  const Node& node = step.node;
  return {std::move(kernel.definition),
          std::move(kernel.schedule),
          "",
          {{"a", node.inputs[0]}, {"b", node.inputs[1]}, {"y", node.output}},
          {{"w", std::move(w)}, {"p", std::move(p)}}};
}

}  // namespace vta::compiler::targets
