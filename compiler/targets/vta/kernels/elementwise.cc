#include "compiler/targets/vta/kernels/elementwise.h"

#include <algorithm>
#include <optional>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/constants.h"
#include "compiler/targets/vta/kernels/conv/conv.h"
#include "compiler/targets/vta/kernels/nodes.h"
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

/// The parameter tensors of the epilogue.
struct Parameters {
  Tensor p;
  std::optional<Tensor> t;

  Parameters(const isa::Config& config, const RowNeeds& needs)
      : p(te::Placeholder("p",
                          {ChannelBlocks(config).out_parts, ParameterRows(needs.epilogue),
                           config.arch.batch, config.arch.block_out},
                          DType::kInt32)) {
    if (needs.table) t = TableParameter();
  }
};

/// What follows the accumulators: the epilogue, whose stages are appended, and the narrowing copy.
Tensor FinishSum(const isa::Config& config, isa::Rounding rounding, const isa::RequantLane& common,
                 const RowNeeds& needs, const Parameters& parameters, RowKernel* kernel) {
  const std::vector<te::Axis> axes = RowAxes(config, needs.rows.sizes());
  const size_t own = kernel->stages.size();
  const Tensor last = AddEpilogue(
      needs.epilogue, rounding, Shared(common), kernel->acc, axes,
      InScratchpad(parameters.p, kAccScope),
      [](const std::vector<Expr>& at) { return at[at.size() - 3]; }, &kernel->stages, 0,
      parameters.t ? std::optional(InScratchpad(*parameters.t, kLutScope)) : std::nullopt);
  for (size_t i = own; i < kernel->stages.size(); ++i)
    kernel->stages[i].over = kernel->stages.front().block;
  return te::Compute("y", axes, [&](const std::vector<Expr>& at) -> te::Value {
    return Cast(DType::kInt8, last.At(at));
  });
}

/// Tiles y and computes everything else in the tile.
void TileRows(const isa::Config& config, const RowGroups& rows, const RowGroups& tile,
              const RowKernel& kernel, ScheduleSteps& s) {
  const size_t lanes = ElementShape(config, kAccScope).size(), reduce = kernel.reductions;
  const std::vector<Stage>& stages = kernel.stages;
  const bool in_group = tile.pixels < rows.pixels;
  const std::string outer = in_group ? s.Do("split", "y", s.Loops("y")[1], tile.pixels)[0]
                                     : s.Do("split", "y", s.Loops("y")[0], tile.groups)[0];
  const size_t around = in_group ? 2 : 1;  // loops over tiles
  for (size_t i = stages.size(); i-- > 0;) s.Do("compute_at", stages[i].block, "y", outer);
  for (const std::string& load : kernel.loads) {
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
    // Rows, q b k, then the reduction: operands where there are several, parts, lanes.
    const size_t inside = s.Loops(sum).size() - around, own = inside - reduce;
    std::vector<std::string> order;
    for (size_t i = 0; i + 1 < reduce; ++i) order.push_back(s.Inner(sum, reduce, i));
    for (size_t i = 0; i < own; ++i) order.push_back(s.Inner(sum, inside, i));
    order.push_back(s.Inner(sum, 1));
    s.Reorder(sum, order);
    if (over.empty()) {
      s.Do("annotate", sum, "-", kSlotsAnnotation, kHalves);
      const std::string init = s.Do("decompose_reduction", sum, s.Inner(sum, inside))[0];
      s.Do("tensorize", init, s.Inner(init, lanes), kGemm);
    }
    s.Do("tensorize", sum, s.Inner(sum, lanes + 1), kGemm);
  }
}

}  // namespace

RowGroups RowTile(const isa::Config& config, const std::string& name, const RowNeeds& needs) {
  constexpr int64_t kFewestTiles = 4;
  const ChannelBlocks blocks(config);
  const RowGroups& rows = needs.rows;
  const int64_t parameters = ParameterRows(needs.epilogue) * blocks.out_parts;
  const int64_t inp = config.arch.inp_depth / (blocks.in_parts * kHalves);
  int64_t most_groups = 0, most_pixels = 0;
  // A copy of the parameters in each bank of the accumulator; one, where these leave no room.
  for (const int64_t copies : {config.uarch.acc_banks, int64_t{1}}) {
    if (most_pixels > 0) break;
    const int64_t acc =
        (config.arch.acc_depth - parameters * copies) / (blocks.out_parts * kHalves);
    // The second operand has a row of inp for each group.
    most_groups =
        std::min(inp / (rows.pixels + 1), acc / (needs.acc * rows.pixels + needs.second_acc));
    most_pixels = std::min(inp - 1, (acc - needs.second_acc) / needs.acc);
  }
  if (most_pixels < 1 || needs.wgt * blocks.in_parts * blocks.out_parts > config.arch.wgt_depth)
    throw Error(name, "tile", "none", "one row must fit the scratchpads of the config twice");
  if (most_groups > 0 && rows.groups >= kFewestTiles) {
    const int64_t parts = std::max(CeilDiv(rows.groups, most_groups), kFewestTiles);
    return {CeilDiv(rows.groups, parts), rows.pixels};
  }
  const int64_t parts = std::max(CeilDiv(rows.pixels, most_pixels),
                                 std::min(rows.pixels, CeilDiv(kFewestTiles, rows.groups)));
  return {1, CeilDiv(rows.pixels, parts)};
}

int64_t RowVectors(const isa::Config& config, const RowGroups& rows) {
  return rows.rows() * ChannelBlocks(config).out_parts;
}

int64_t SecondVectors(const isa::Config& config, const RowGroups& rows) {
  return rows.groups * ChannelBlocks(config).out_parts;
}

int64_t DiagonalBytes(const isa::Config& config) {
  const ChannelBlocks blocks(config);
  return blocks.in_parts * blocks.out_parts * config.wgt_bytes();
}

Work RowWork(const isa::Config& config, const RowNeeds& needs) {
  const ChannelBlocks blocks(config);
  const int64_t vectors = RowVectors(config, needs.rows),
                second = SecondVectors(config, needs.rows);
  Work work;
  work.widenings = (vectors + second) * blocks.in_parts;
  work.resets = (needs.acc * vectors + needs.second_acc * second) * ResetPasses(config);
  work.alu = vectors * AluPasses(needs.epilogue);
  work.second_reads = SecondReads(config, vectors * TensorPasses(needs.epilogue));
  work.bytes = (needs.rows.rows() + needs.rows.groups) * blocks.in_parts * config.inp_bytes() +
               vectors * config.out_bytes() +
               blocks.out_parts * ParameterRows(needs.epilogue) * config.acc_bytes() +
               (needs.table ? isa::kLutBytes : 0);
  return work;
}

std::vector<te::Axis> RowAxes(const isa::Config& config, const std::vector<int64_t>& sizes) {
  std::vector<te::Axis> axes;
  if (sizes.size() > 1) axes.emplace_back("g", sizes[0]);
  axes.emplace_back("v", sizes.back());
  axes.emplace_back("q", ChannelBlocks(config).out_parts);
  axes.emplace_back("b", config.arch.batch);
  axes.emplace_back("k", config.arch.block_out);
  return axes;
}

Tensor RowOperand(const isa::Config& config, const std::string& name, std::vector<int64_t> sizes) {
  for (const int64_t extent :
       {ChannelBlocks(config).in_parts, config.arch.batch, config.arch.block_in})
    sizes.push_back(extent);
  return te::Placeholder(name, sizes);
}

std::vector<Expr> OperandAt(const std::vector<Expr>& at, const Expr& part, const Expr& channel) {
  std::vector<Expr> element = at;
  element[at.size() - 3] = part;
  element.back() = channel;
  return element;
}

std::vector<Expr> SecondAt(const RowGroups& rows, std::vector<Expr> at) {
  if (rows.is_gate()) at.erase(at.begin() + 1);
  return at;
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
  const Parameters parameters(config, needs);
  const Tensor y = FinishSum(config, rounding, common, needs, parameters, &kernel);
  std::vector<Tensor> params = {kernel.a, kernel.b, kernel.w, parameters.p};
  if (parameters.t) params.push_back(*parameters.t);
  params.push_back(y);
  loop::Function definition = te::Lower(name, params);
  const RowGroups tile = RowTile(config, name, needs);
  return {definition, [definition, &config, rounding, rows = needs.rows, tile,
                       kernel = std::move(kernel)](auto memo) {
            loop::Schedule schedule(definition, Intrinsics(config, rounding),
                                    loop::Verified::kNever, std::move(memo));
            ScheduleSteps s(&schedule);
            TileRows(config, rows, tile, kernel, s);
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

RowOperands RowOperandsOf(const isa::Config& config, const Graph& graph, const Node& node) {
  const Shape& out = graph.shape(node.output);
  Shape gate = out;
  if (out.size() >= 4) gate[2] = gate[3] = 1;  // packed or plain
  std::vector<bool> is_gate;
  for (const ValueId input : node.inputs) {
    const Shape& shape = graph.shape(input);
    if (graph.constant(input))
      Refuse(node, "input", graph.value(input).name, "must not be a constant");
    if (shape != out && shape != gate)
      Refuse(node, "input shape", ToText(shape), "must be the output's, or with a plane of 1x1");
    is_gate.push_back(shape != out);
  }
  const BlockSizes sizes = BlocksOf(config, out);
  if (!is_gate[0] && !is_gate[1]) return {{sizes.rows(), 1}};
  return {{sizes.batch * sizes.channels, sizes.height * sizes.width}, is_gate[0] ? 1 : 0};
}

StepPlan PlanRows(const OperatorStep& step, const RowOperands& operands, Scheduled kernel,
                  std::vector<uint8_t> w, std::vector<uint8_t> p) {
  const Node& node = step.node;
  const auto [a, b] = operands.InOrder(node.inputs[0], node.inputs[1]);
  StepPlan plan{std::move(kernel.definition),
                std::move(kernel.schedule),
                "",
                {{"a", a}, {"b", b}, {"y", step.output()}},
                {{"w", std::move(w)}, {"p", std::move(p)}}};
  if (step.lookup) plan.constants.emplace_back("t", TableBytes(step.graph, *step.lookup));
  return plan;
}

}  // namespace vta::compiler::targets
