#include "compiler/targets/vta/kernels/max_pool.h"

#include <algorithm>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/conv_tiling.h"
#include "compiler/targets/vta/kernels/steps.h"
#include "compiler/targets/vta/lower/intrinsics.h"
#include "compiler/targets/vta/lower/scratchpad.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

using loop::DType;
using loop::Expr;
using te::Tensor;

constexpr int64_t kCopies = 2;

loop::Function Define(const isa::Config& config, const std::string& name, const ConvShape& s) {
  const isa::Arch& arch = config.arch;
  const ChannelBlocks blocks(config);
  const int64_t parts = blocks.in_parts;
  const Tensor x =
      te::Placeholder("x", {s.batch, s.groups, s.in_h, s.in_w * parts, arch.batch, arch.block_in});
  const Tensor w = te::Placeholder("w", {blocks.out_parts, parts, arch.block_out, arch.block_in});
  const Tensor padded = te::Pad("x_pad", x, {0, 0, s.pad_top, s.pad_left * parts, 0, 0},
                                {0, 0, s.pad_bottom, s.pad_right * parts, 0, 0},
                                loop::IntConst(DType::kInt8, s.pad_value));
  const te::ReduceAxis r("r", parts), c("c", arch.block_in), kh("kh", s.kh), kw("kw", s.kw);
  const Tensor wide = te::Compute(
      "wide",
      {{"n", s.batch},
       {"g", s.groups},
       {"iy", padded.shape()[2]},
       {"ix", padded.shape()[3] / parts},
       {"q", blocks.out_parts},
       {"b", arch.batch},
       {"k", arch.block_out}},
      [&](Expr n, Expr g, Expr iy, Expr ix, Expr q, Expr b, Expr k) -> te::Value {
        return te::ReduceSum(Cast(DType::kInt32, padded(n, g, iy, ix * parts + r, b, c)) *
                                 Cast(DType::kInt32, w(q, r, k, c)),
                             {r, c});
      },
      kAccScope);
  const std::vector<te::Axis> axes = {
      {"n", s.batch},          {"g", s.groups},   {"oy", s.out_h()},    {"ox", s.out_w()},
      {"q", blocks.out_parts}, {"b", arch.batch}, {"k", arch.block_out}};
  const Tensor most = te::Compute(
      "most", axes,
      [&](Expr n, Expr g, Expr oy, Expr ox, Expr q, Expr b, Expr k) -> te::Value {
        return te::ReduceMax(
            wide(n, g, oy * s.stride_h + kh.expr(), ox * s.stride_w + kw.expr(), q, b, k),
            {kh, kw});
      },
      kAccScope);
  const Tensor y = te::Compute("y", axes, [&](const std::vector<Expr>& at) -> te::Value {
    return Cast(DType::kInt8, most.At(at));
  });
  return te::Lower(name, {x, w, y});
}

}  // namespace

PoolTile ChoosePoolTile(const isa::Config& config, const std::string& name, const ConvShape& s) {
  const ChannelBlocks blocks(config);
  PoolTile best;
  int64_t least = -1;
  for (int64_t height = s.out_h(); height >= 1; --height)
    for (int64_t width = s.out_w(); width >= 1; --width) {
      const int64_t in_h =
          std::min((height - 1) * s.stride_h + s.kh, s.in_h + s.pad_top + s.pad_bottom);
      const int64_t in_w =
          std::min((width - 1) * s.stride_w + s.kw, s.in_w + s.pad_left + s.pad_right);
      if (!CanPadTiles(config, s, width) ||
          in_h * in_w * blocks.in_parts * kCopies > config.arch.inp_depth ||
          (in_h * in_w + height * width) * blocks.out_parts * kCopies > config.arch.acc_depth)
        continue;
      const int64_t tiles = ((s.out_h() + height - 1) / height) * ((s.out_w() + width - 1) / width);
      const int64_t rows = tiles * in_h * in_w;
      if (least >= 0 && rows >= least) continue;
      best = {height, width};
      least = rows;
    }
  if (least < 0) throw Error(name, "tile", "none", "one window must fit the scratchpads twice");
  return best;
}

Scheduled ScheduleMaxPool(const isa::Config& config, const std::string& name,
                          const ConvShape& shape) {
  const PoolTile tile = ChoosePoolTile(config, name, shape);
  loop::Function definition = Define(config, name, shape);
  loop::Schedule schedule(definition, Intrinsics(config, isa::Rounding::kSingle));
  ScheduleSteps s(&schedule);
  const size_t lanes = ElementShape(config, kAccScope).size();
  s.Do("cache_read", "wide", "w", kWgtScope);
  const auto h = s.Do("split", "y", "oy", tile.height), w = s.Do("split", "y", "ox", tile.width);
  s.Reorder("y", {h[0], w[0], h[1], w[1]});
  for (const char* block : {"most", "wide", "x_pad"}) s.Do("compute_at", block, "y", w[0]);
  s.Do("set_scope", "x_pad", kInpScope);
  for (const char* block : {"most", "wide", "x_pad"})
    s.Do("annotate", block, "-", kSlotsAnnotation, kCopies);
  // Of the maximum: n g oy ox q b k, kh kw.
  std::vector<std::string> order = {s.Inner("most", 9, 7), s.Inner("most", 9, 8)};
  for (size_t i = 2; i < 7; ++i) order.push_back(s.Inner("most", 9, i));
  s.Reorder("most", order);
  const std::string most = s.Do("decompose_reduction", "most", s.Inner("most", 7))[0];
  // Of the widening: n g iy ix q b k, r c.
  order = {s.Inner("wide", 9, 7)};
  for (const size_t i : {0, 1, 2, 3, 4, 5, 6, 8}) order.push_back(s.Inner("wide", 9, i));
  s.Reorder("wide", order);
  const std::string wide = s.Do("decompose_reduction", "wide", s.Inner("wide", 9))[0];
  s.Do("tensorize", wide, s.Inner(wide, lanes), "vta.gemm");
  s.Do("tensorize", "wide", s.Inner("wide", lanes + 1), "vta.gemm");
  s.Do("tensorize", most, s.Inner(most, lanes), "vta.least");
  s.Do("tensorize", "most", s.Inner("most", lanes), "vta.max");
  return {std::move(definition), std::move(schedule)};
}

}  // namespace vta::compiler::targets
