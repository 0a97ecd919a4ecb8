#include "compiler/targets/vta/kernels/max_pool.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/conv/tiling.h"
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

constexpr int64_t kCopies = 2;

/// Taps of a window along one dimension that lie a stride apart, which read the same pixels of
/// neighbouring windows.
struct Taps {
  int64_t first, count;
};

/// A window along one dimension: the maximum is taken in the pixels of one tap, which no other
/// window reads where the strides allow it.
struct Line {
  int64_t start;
  std::vector<Taps> others;

  Line(int64_t kernel, int64_t stride) : start(kernel > stride ? kernel - stride : 0) {
    if (kernel >= 2 * stride) start = 0;  // all are read by other windows
    for (int64_t phase = 0; phase < std::min(kernel, stride); ++phase) {
      const int64_t first = phase == start ? start + stride : phase;
      if (first < kernel) others.push_back({first, (kernel - first - 1) / stride + 1});
    }
  }
  /// Pixels for so many outputs.
  int64_t Pixels(int64_t outputs) const {
    int64_t pixels = outputs;
    for (const Taps& taps : others) pixels += outputs + taps.count - 1;
    return pixels;
  }
};

/// What is computed: the pixels of each pair of taps as accumulators, then the maximum of columns,
/// then that of rows, each over the pixels that it starts as.
struct Definition {
  loop::Function function;
  std::vector<std::string> widened;
  std::vector<Stage> stages;
};

class PoolDefinition {
 public:
  PoolDefinition(const isa::Config& config, const ConvShape& s)
      : config_(config),
        s_(s),
        parts_(config),
        rows_(s.kh, s.stride_h),
        columns_(s.kw, s.stride_w) {}

  Definition Make(const std::string& name) {
    const isa::Arch& arch = config_.arch;
    const int64_t parts = parts_.in_parts;
    x_ = te::Placeholder(
        "x", {s_.batch, s_.groups, s_.in_h, s_.in_w * parts, arch.batch, arch.block_in});
    const Tensor w = te::Placeholder("w", {parts_.out_parts, parts, arch.block_out, arch.block_in});
    w_ = te::Compute(
        "w_wgt",
        {{"q", parts_.out_parts}, {"r", parts}, {"k", arch.block_out}, {"c", arch.block_in}},
        [&](const std::vector<Expr>& at) -> te::Value { return w.At(at); }, kWgtScope);
    padded_ = te::Pad("x_pad", *x_, {0, 0, s_.pad_top, s_.pad_left * parts, 0, 0},
                      {0, 0, s_.pad_bottom, s_.pad_right * parts, 0, 0},
                      loop::IntConst(DType::kInt8, s_.pad_value));
    Tensor most = MaximumOfColumns(rows_.start, 1);
    const std::string over = out_.widened.back();
    for (const Taps& taps : rows_.others) {
      const Tensor columns = MaximumOfColumns(taps.first, taps.count);
      const te::ReduceAxis tap("tap", taps.count);
      most = Join(StrCat("rows", taps.first), over, most, tap, [&](std::vector<Expr> at) {
        at[2] = at[2] + tap;
        return columns.At(at);
      });
    }
    const Tensor y = te::Compute(
        "y", Axes(s_.out_h(), s_.out_w()),
        [&](const std::vector<Expr>& at) -> te::Value { return Cast(DType::kInt8, most.At(at)); });
    out_.function = te::Lower(name, {*x_, w, y});
    return std::move(out_);
  }

 private:
  std::vector<te::Axis> Axes(int64_t height, int64_t width) const {
    return {{"n", s_.batch},
            {"g", s_.groups},
            {"i", height},
            {"j", width},
            {"q", parts_.out_parts},
            {"b", config_.arch.batch},
            {"k", config_.arch.block_out}};
  }

  /// The pixels that windows side by side read by the tap, a stride apart.
  Tensor Widened(int64_t row, int64_t height, int64_t column, int64_t width) {
    const te::ReduceAxis r("r", parts_.in_parts), c("c", config_.arch.block_in);
    out_.widened.push_back(StrCat("wide", row, "_", column));
    return te::Compute(
        out_.widened.back(), Axes(height, width),
        [&](const std::vector<Expr>& at) -> te::Value {
          const Expr x = at[3] * s_.stride_w + column;
          const Expr pixel = (*padded_)(at[0], at[1], at[2] * s_.stride_h + row,
                                        x * parts_.in_parts + r, at[5], c);
          return te::ReduceSum(
              Cast(DType::kInt32, pixel) * Cast(DType::kInt32, (*w_)(at[4], r, at[6], c)), {r, c});
        },
        kAccScope);
  }

  /// Of the lines that `count` taps from `row` on read.
  Tensor MaximumOfColumns(int64_t row, int64_t count) {
    const int64_t height = s_.out_h() + count - 1, width = s_.out_w();
    std::vector<Tensor> others;
    for (const Taps& taps : columns_.others)
      others.push_back(Widened(row, height, taps.first, width + taps.count - 1));
    Tensor most = Widened(row, height, columns_.start, width);
    const std::string over = out_.widened.back();
    for (size_t i = 0; i < others.size(); ++i) {
      const te::ReduceAxis tap("tap", columns_.others[i].count);
      most = Join(StrCat("columns", row, "_", columns_.others[i].first), over, most, tap,
                  [&](std::vector<Expr> at) {
                    at[3] = at[3] + tap;
                    return others[i].At(at);
                  });
    }
    return most;
  }

  template <typename F>
  Tensor Join(const std::string& name, const std::string& over, const Tensor& start,
              const te::ReduceAxis& tap, const F& pixel) {
    out_.stages.push_back({name, over, "vta.max"});
    return te::Compute(
        name, Axes(start.shape()[2], start.shape()[3]),
        [&](const std::vector<Expr>& at) -> te::Value {
          return te::From(start.At(at), te::ReduceMax(pixel(at), {tap}));
        },
        kAccScope);
  }

  const isa::Config& config_;
  const ConvShape& s_;
  const ChannelBlocks parts_;
  const Line rows_, columns_;
  std::optional<Tensor> x_, w_, padded_;
  Definition out_;
};

/// Of outputs.
struct PoolTile {
  int64_t height = 1, width = 1;
};
/// The tile that fits twice and loads the fewest rows. Errors: throws Error at `name` if none fits.
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
      const int64_t pixels =
          Line(s.kh, s.stride_h).Pixels(height) * Line(s.kw, s.stride_w).Pixels(width);
      if (!CanPadTiles(config, s, width) ||
          in_h * in_w * blocks.in_parts * kCopies > config.arch.inp_depth ||
          pixels * blocks.out_parts * kCopies > config.arch.acc_depth)
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

ConvShape MaxPoolShape(const OperatorStep& step) {
  const isa::Config& config = step.config;
  const Node& node = step.node;
  constexpr int64_t kLeast = -128;
  const BlockSizes in = BlocksOf(config, step.graph.shape(node.inputs[0]));
  ConvShape shape{.batch = in.batch, .groups = in.channels, .in_h = in.height, .in_w = in.width};
  shape.kh = node.Ints("kernel")[0], shape.kw = node.Ints("kernel")[1];
  ReadWindow(config, node, kLeast, &shape);
  if (shape.border_rows)
    Refuse(node, "pad_value", std::to_string(kLeast), "this config pads with 0 only");
  return shape;
}

}  // namespace

Work MaxPoolWork(const isa::Config& config, const ConvShape& s) {
  const ChannelBlocks blocks(config);
  const int64_t planes = s.batch * s.groups, parts = blocks.in_parts * blocks.out_parts;
  const int64_t lines = Line(s.kh, s.stride_h).Pixels(s.out_h());
  const int64_t pixels = lines * Line(s.kw, s.stride_w).Pixels(s.out_w());
  const int64_t outputs = s.out_h() * s.out_w();
  Work work;
  work.widenings = planes * parts * pixels;
  work.resets = planes * blocks.out_parts * pixels * ResetPasses(config);
  work.alu = planes * blocks.out_parts * ((s.kw - 1) * lines * s.out_w() + (s.kh - 1) * outputs);
  work.second_reads = SecondReads(config, work.alu);
  work.bytes = planes * (s.lines_read() * s.columns_read() * blocks.in_parts * config.inp_bytes() +
                         outputs * blocks.out_parts * config.out_bytes()) +
               parts * config.wgt_bytes();
  return work;
}

Scheduled ScheduleMaxPool(const isa::Config& config, const std::string& name,
                          const ConvShape& shape) {
  const PoolTile tile = ChoosePoolTile(config, name, shape);
  Definition definition = PoolDefinition(config, shape).Make(name);
  return {definition.function, [&config, tile, definition](auto memo) {
            loop::Schedule schedule(definition.function, Intrinsics(config, isa::Rounding::kSingle),
                                    loop::Verified::kNever, std::move(memo));
            ScheduleSteps s(&schedule);
            const size_t lanes = ElementShape(config, kAccScope).size();
            const auto h = s.Do("split", "y", "i", tile.height),
                       w = s.Do("split", "y", "j", tile.width);
            s.Reorder("y", {h[0], w[0], h[1], w[1]});
            for (size_t i = definition.stages.size(); i-- > 0;)
              s.Do("compute_at", definition.stages[i].block, "y", w[0]);
            for (const std::string& block : definition.widened)
              s.Do("compute_at", block, "y", w[0]);
            s.Do("compute_at", "x_pad", "y", w[0]);
            s.Do("set_scope", "x_pad", kInpScope);
            s.Do("annotate", "x_pad", "-", kSlotsAnnotation, kCopies);
            for (const Stage& stage : definition.stages) {
              s.Do("inplace", stage.block, stage.over);
              // n g i j q b k, tap.
              std::vector<std::string> order = {s.Inner(stage.block, 8, 7)};
              for (size_t i = 2; i < 7; ++i) order.push_back(s.Inner(stage.block, 8, i));
              s.Reorder(stage.block, order);
              s.Do("tensorize", stage.block, s.Inner(stage.block, lanes), stage.intrinsic);
            }
            for (const std::string& block : definition.widened) {
              s.Do("annotate", block, "-", kSlotsAnnotation, kCopies);
              // n g i j q b k, r c.
              std::vector<std::string> order = {s.Inner(block, 9, 7)};
              for (const size_t i : {0, 1, 2, 3, 4, 5, 6, 8}) order.push_back(s.Inner(block, 9, i));
              s.Reorder(block, order);
              const std::string start = s.Do("decompose_reduction", block, s.Inner(block, 9))[0];
              s.Do("tensorize", start, s.Inner(start, lanes), "vta.gemm");
              s.Do("tensorize", block, s.Inner(block, lanes + 1), "vta.gemm");
            }
            return schedule;
          }};
}

void RequireMaxPool(const OperatorStep& step) {
  ChoosePoolTile(step.config, step.name(), MaxPoolShape(step));
}

std::vector<Work> MaxPoolLayouts(const OperatorStep& step) {
  return {MaxPoolWork(step.config, MaxPoolShape(step))};
}

StepPlan PlanMaxPool(const OperatorStep& step) {
  return PlanWidened(step, ScheduleMaxPool(step.config, step.name(), MaxPoolShape(step)));
}

}  // namespace vta::compiler::targets
