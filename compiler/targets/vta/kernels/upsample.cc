#include "compiler/targets/vta/kernels/upsample.h"

#include <algorithm>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/epilogue.h"
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

constexpr int64_t kTilesAtOnce = 2;
const std::string kWide = "wide";

/// Of the input's pixels.
struct UpsampleTile {
  int64_t height = 1, width = 1;
};
/// Whole lines, as many as fit twice, or part of one. Errors: throws Error at `name` if not one
/// pixel fits.
UpsampleTile TileOf(const isa::Config& config, const std::string& name, const UpsampleShape& s) {
  const ChannelBlocks blocks(config);
  const int64_t repeats = s.scale_h * s.scale_w;
  const int64_t pixels =
      std::min(config.arch.inp_depth / (blocks.in_parts * kTilesAtOnce),
               config.arch.acc_depth / (blocks.out_parts * kTilesAtOnce * repeats));
  if (pixels < 1)
    throw Error(name, "tile", "none",
                StrCat("the ", repeats, " places of a pixel must fit the scratchpads twice"));
  if (pixels < s.in_w) return {1, pixels};
  return {std::min(s.in_h, pixels / s.in_w), s.in_w};
}

UpsampleShape ShapeOf(const OperatorStep& step) {
  const BlockSizes in = BlocksOf(step.config, step.graph.shape(step.node.inputs[0]));
  const std::vector<int64_t>& scales = step.node.Ints("scales");
  return {in.batch * in.channels, in.height, in.width, scales[0], scales[1]};
}

loop::Function Define(const isa::Config& config, const std::string& name, const UpsampleShape& s) {
  const isa::Arch& arch = config.arch;
  const ChannelBlocks blocks(config);
  const Tensor x =
      te::Placeholder("x", {s.planes, s.in_h, s.in_w * blocks.in_parts, arch.batch, arch.block_in});
  const Tensor w =
      te::Placeholder("w", {blocks.out_parts, blocks.in_parts, arch.block_out, arch.block_in});
  const Tensor pixels = InScratchpad(x, kInpScope), diagonal = InScratchpad(w, kWgtScope);
  const std::vector<te::Axis> axes = {
      {"p", s.planes},  {"i", s.in_h},           {"s", s.scale_h},         {"j", s.in_w},
      {"t", s.scale_w}, {"q", blocks.out_parts}, {"b", config.arch.batch}, {"k", arch.block_out}};
  const te::ReduceAxis r("r", blocks.in_parts), c("c", arch.block_in);
  const Tensor wide = te::Compute(
      kWide, axes,
      [&](const std::vector<Expr>& at) -> te::Value {
        const Expr pixel = pixels(at[0], at[1], at[3] * blocks.in_parts + r, at[6], c);
        return te::ReduceSum(
            Cast(DType::kInt32, pixel) * Cast(DType::kInt32, diagonal(at[5], r, at[7], c)), {r, c});
      },
      kAccScope);
  const Tensor y = te::Compute("y", axes, [&](const std::vector<Expr>& at) -> te::Value {
    return Cast(DType::kInt8, wide.At(at));
  });
  return te::Lower(name, {x, w, y});
}

}  // namespace

Work UpsampleWork(const isa::Config& config, const UpsampleShape& s) {
  const ChannelBlocks blocks(config);
  const int64_t pixels = s.planes * s.in_h * s.in_w,
                vectors = pixels * s.scale_h * s.scale_w * blocks.out_parts;
  Work work;
  work.widenings = vectors * blocks.in_parts;
  work.resets = vectors * ResetPasses(config);
  work.bytes = pixels * blocks.in_parts * config.inp_bytes() + vectors * config.out_bytes() +
               blocks.in_parts * blocks.out_parts * config.wgt_bytes();
  return work;
}

Scheduled ScheduleUpsample(const isa::Config& config, const std::string& name,
                           const UpsampleShape& shape) {
  const UpsampleTile tile = TileOf(config, name, shape);
  const loop::Function definition = Define(config, name, shape);
  return {definition, [&config, tile, definition](auto memo) {
            loop::Schedule schedule(definition, Intrinsics(config, isa::Rounding::kSingle),
                                    loop::Verified::kNever, std::move(memo));
            ScheduleSteps s(&schedule);
            const size_t lanes = ElementShape(config, kAccScope).size();
            const auto h = s.Do("split", "y", "i", tile.height),
                       w = s.Do("split", "y", "j", tile.width);
            s.Reorder("y", {h[0], w[0], h[1], "s", w[1]});
            s.Do("compute_at", kWide, "y", w[0]);
            s.Do("compute_at", "x_inp", "y", w[0]);
            s.Do("annotate", "x_inp", "-", kSlotsAnnotation, kTilesAtOnce);
            s.Do("annotate", kWide, "-", kSlotsAnnotation, kTilesAtOnce);
            // p i s j t q b k, r c.
            std::vector<std::string> order = {s.Inner(kWide, 10, 8)};
            for (const size_t i : {0, 1, 2, 3, 4, 5, 6, 7, 9})
              order.push_back(s.Inner(kWide, 10, i));
            s.Reorder(kWide, order);
            const std::string start = s.Do("decompose_reduction", kWide, s.Inner(kWide, 10))[0];
            s.Do("tensorize", start, s.Inner(start, lanes), "vta.gemm");
            s.Do("tensorize", kWide, s.Inner(kWide, lanes + 1), "vta.gemm");
            return schedule;
          }};
}

void RequireUpsample(const OperatorStep& step) { TileOf(step.config, step.name(), ShapeOf(step)); }

std::vector<Work> UpsampleLayouts(const OperatorStep& step) {
  return {UpsampleWork(step.config, ShapeOf(step))};
}

StepPlan PlanUpsample(const OperatorStep& step) {
  return PlanWidened(step, ScheduleUpsample(step.config, step.name(), ShapeOf(step)));
}

}  // namespace vta::compiler::targets
