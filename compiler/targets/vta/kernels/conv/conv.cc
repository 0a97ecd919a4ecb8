#include "compiler/targets/vta/kernels/conv/conv.h"

#include <algorithm>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/conv/border.h"
#include "compiler/targets/vta/kernels/steps.h"
#include "compiler/targets/vta/lower/intrinsics.h"
#include "compiler/targets/vta/lower/scratchpad.h"
#include "isa/support/error.h"

namespace vta::compiler::targets {
namespace {

using loop::DType;
using loop::Expr;
using te::Tensor;

constexpr int kThreads = 2;
constexpr char kMaximum[] = "vta.max";

/// The schedule's steps, with the names of loops looked up as they move.
class ConvSchedule {
 public:
  ConvSchedule(const isa::Config& config, const ConvDefinition& definition, const ConvShape& shape,
               const ConvTiling& tiling, loop::Schedule* schedule)
      : lanes_(ElementShape(config, kAccScope).size()),
        definition_(definition),
        shape_(shape),
        tiling_(tiling),
        s_(schedule) {}

  void Run() {
    TileOutput();
    for (size_t i = definition_.stages.size(); i-- > 0;) {
      // The operand of a residual joins before the stages that follow it.
      Place(definition_.stages[i].block);
      if (shape_.residual && i == definition_.skip_stage) Place("skip");
    }
    Place("conv");
    for (size_t i = 0; i < definition_.stages.size(); ++i) {
      if (JoinsInPlace() && i == definition_.skip_stage) s_.Do("inplace", "skip", "conv");
      if (const Stage& stage = definition_.stages[i]; !stage.over.empty())
        s_.Do("inplace", stage.block, stage.over);
    }
    if (KeepsLines(shape_, tiling_)) KeepLines();
    SplitReduction();
    if (shape_.residual) LoadSkip();
    LoadInputs();
    LoadWeights();
    LoadParameters();
    Tensorize();
    AnnotateSlots();
    if (tiling_.threads != ThreadAxis::kNone) s_.Do("virtual_thread", "y", tile_);
  }

 private:
  void TileOutput() {
    const auto co = s_.Do("split", "y", "co", tiling_.co);
    const auto h = s_.Do("split", "y", "oy", tiling_.height);
    const auto w = s_.Do("split", "y", "ox", tiling_.width);
    std::vector<std::string> outer = {h[0], w[0]};
    if (KeepsLines(shape_, tiling_)) std::swap(outer[0], outer[1]);
    outer.insert(tiling_.channels_outer ? outer.begin() : outer.end(), co[0]);
    if (tiling_.threads != ThreadAxis::kNone) {
      const std::string& axis = tiling_.threads == ThreadAxis::kHeight  ? h[0]
                                : tiling_.threads == ThreadAxis::kWidth ? w[0]
                                                                        : co[0];
      const auto threads = s_.Do("split", "y", axis, kThreads);
      std::replace(outer.begin(), outer.end(), axis, threads[0]);
      outer.push_back(threads[1]);
    }
    std::vector<std::string> order = outer;
    for (const std::string& inner : {co[1], h[1], w[1]}) order.push_back(inner);
    s_.Reorder("y", order);
    tile_ = outer.back();
    channel_loop_ = tiling_.channels_outer ? outer.front() : tile_;
    space_loop_ = tiling_.channels_outer ? tile_ : outer[1];
  }

  bool JoinsInPlace() const { return shape_.residual && !shape_.residual->beside(); }
  bool WidensBeside() const { return shape_.residual && shape_.residual->beside(); }

  void Place(const std::string& block) { s_.Do("compute_at", block, "y", tile_); }

  /// The next tile's windows read lines of this one: they stay, and it makes what is new.
  void KeepLines() {
    constexpr int kLines = 5;  // of conv: n g co yp xp oy ox q b k
    for (const std::string& block : definition_.first_lines) {
      if (tiling_.height == 1) break;  // all are the first
      rest_.push_back(s_.Do("partition", block, s_.Inner(block, 10, kLines), 1)[0]);
    }
    s_.Do("roll", "conv", tile_, kLines, tiling_.height);
  }

  void SplitReduction() {
    // The convolution's own loops: n g co (yp xp) oy ox q b k, t ci kh kw r c.
    constexpr size_t kReduced = 6;
    const size_t count = (shape_.max ? 10 : 8) + kReduced;
    const auto at = [&](size_t i) { return s_.Inner("conv", count, i); };
    const auto reduced = [&](size_t i) { return s_.Inner("conv", kReduced, i); };
    std::vector<std::string> order;
    for (size_t i = 2; i < count - kReduced; ++i) order.push_back(at(i));
    order.push_back(reduced(5));
    const std::string t = reduced(0), kw = reduced(3), r = reduced(4);
    const std::vector<std::string> ci = s_.Do("split", "conv", reduced(1), tiling_.ci);
    const std::vector<std::string> kh = s_.Do("split", "conv", s_.Inner("conv", 4, 0), tiling_.kh);
    order.insert(order.begin(), {ci[0], kh[0], t, ci[1], kh[1], kw, r});
    s_.Reorder("conv", order);
    s_.Do("unroll", "conv", t);  // only some of the further terms' elements are there
    step_ = kh[0];
    s_.Do("decompose_reduction", "conv", ci[0]);
  }

  /// Int8 rows reach the accumulators through GEMM with a diagonal, loaded once.
  void LoadSkip() {
    s_.Do("cache_read", "skip", "d", kWgtScope);
    const std::string copy = s_.Do("cache_read", "skip", "s", kInpScope)[0];
    // The block's own loops: n g co oy ox q b k, t r c.
    const auto at = [&](size_t i) { return s_.Inner("skip", 11, i); };
    std::vector<std::string> order = {at(0), at(8), at(9)};
    for (const size_t i : {1, 2, 3, 4, 5, 6, 7, 10}) order.push_back(at(i));
    s_.Reorder("skip", order);
    s_.Do("compute_at", copy, "skip", order[0]);
    if (WidensBeside()) s_.Do("decompose_reduction", "skip", order[1]);
    loads_.push_back({copy, false, tiling_.slots});
  }

  void LoadInputs() {
    std::string block = shape_.picks() ? "x_picked" : "x_pad";
    if (shape_.padded() || shape_.picks())
      s_.Do("set_scope", block, kInpScope);
    else
      block = s_.Do("cache_read", "conv", "x", kInpScope)[0];
    s_.Do("compute_at", block, "conv", tiling_.keep_inputs ? space_loop_ : step_);
    loads_.push_back({block, tiling_.keep_inputs, StepSlots(tiling_.keep_inputs)});
  }
  void LoadWeights() {
    const std::string block = s_.Do("cache_read", "conv", "w", kWgtScope)[0];
    s_.Do("compute_at", block, "conv", tiling_.keep_weights ? channel_loop_ : step_);
    loads_.push_back({block, tiling_.keep_weights, StepSlots(tiling_.keep_weights)});
  }
  void LoadParameters() {
    s_.Do("compute_at", "p_acc", "y", channel_loop_);
    loads_.push_back({"p_acc", tiling_.channels_outer, tiling_.slots});
  }
  int64_t StepSlots(bool kept) const { return kept ? tiling_.slots : tiling_.load_slots; }

  void Tensorize() {
    s_.Do("tensorize", "conv_init", s_.Inner("conv_init", lanes_, 0), "vta.gemm");
    s_.Do("tensorize", "conv", s_.Inner("conv", lanes_ + 1, 0), "vta.gemm");
    if (WidensBeside())
      s_.Do("tensorize", "skip_init", s_.Inner("skip_init", lanes_, 0), "vta.gemm");
    if (shape_.residual) s_.Do("tensorize", "skip", s_.Inner("skip", lanes_ + 1, 0), "vta.gemm");
    for (const Stage& stage : definition_.stages)
      s_.Do("tensorize", stage.block, s_.Inner(stage.block, lanes_, 0), stage.intrinsic);
    for (const std::string& block : rest_)
      s_.Do("tensorize", block, s_.Inner(block, lanes_, 0), kMaximum);
  }

  /// Threads have slots of their own for what they do not share.
  void AnnotateSlots() {
    const bool threads = tiling_.threads != ThreadAxis::kNone;
    auto annotate = [&](const std::string& block, int64_t slots) {
      s_.Do("annotate", block, "-", kSlotsAnnotation, slots);
    };
    for (const Load& load : loads_)
      if (!threads || load.shared) annotate(load.block, load.slots);
    if (!threads && !KeepsLines(shape_, tiling_)) annotate("conv", tiling_.slots);
    if (!threads && WidensBeside()) annotate("skip", tiling_.slots);
    if (!threads && shape_.bend) annotate(std::string(kBelowBlock), tiling_.slots);
  }

  struct Load {
    std::string block;
    bool shared;  // by threads: it lies outside their loop
    int64_t slots;
  };

  const size_t lanes_;  // innermost loops of one accumulator row
  const ConvDefinition& definition_;
  const ConvShape& shape_;
  const ConvTiling& tiling_;
  ScheduleSteps s_;
  std::string tile_;               // y's loop that holds one tile (of one thread)
  std::string channel_loop_;       // fixes the channel tile
  std::string space_loop_;         // fixes the space tile
  std::string step_;               // conv's loop over steps of the reduction
  std::vector<std::string> rest_;  // of windows whose lines are all this tile's
  std::vector<Load> loads_;
};

/// factor * codes + skip_factor * s, as stages of `out`; s and d join `params`.
Tensor AddSkip(const isa::Config& config, const ConvShape& shape, const Tensor& codes,
               const std::vector<te::Axis>& axes, std::vector<Tensor>* params,
               ConvDefinition* out) {
  const isa::Arch& arch = config.arch;
  const ChannelBlocks blocks(config);
  const Tensor s =
      te::Placeholder("s", {shape.batch, shape.groups * shape.co, shape.out_h(),
                            shape.out_w() * blocks.in_parts, arch.batch, arch.block_in});
  const Tensor d = te::Placeholder("d", {shape.residual->terms, blocks.out_parts, blocks.in_parts,
                                         arch.block_out, arch.block_in});
  params->push_back(s);
  params->push_back(d);
  auto scaled = [&](const std::string& name, const Tensor& x, int64_t factor) {
    out->stages.push_back({name, x.name() == "skip" ? "skip" : "conv", "vta.mul_imm"});
    return te::Compute(
        name, axes,
        [&](const std::vector<Expr>& at) -> te::Value {
          return x.At(at) * loop::IntConst(DType::kInt32, factor);
        },
        kAccScope);
  };
  const Residual& residual = *shape.residual;
  const Tensor left = residual.factor == 1 ? codes : scaled("scaled", codes, residual.factor);
  out->skip_stage = out->stages.size();
  const te::ReduceAxis t("t", residual.terms), r("r", blocks.in_parts), c("c", arch.block_in);
  const Tensor skip = te::Compute(
      "skip", axes,
      [&](const std::vector<Expr>& at) -> te::Value {
        const Expr value =
            s(at[0], at[1] * shape.co + at[2], at[3], at[4] * blocks.in_parts + r, at[6], c);
        const Expr product =
            Cast(DType::kInt32, value) * Cast(DType::kInt32, d(t, at[5], r, at[7], c));
        te::Reduction sum = te::ReduceSum(product, {t, r, c});
        return residual.beside() ? sum : te::From(left.At(at), std::move(sum));
      },
      kAccScope);
  Tensor joined = skip;
  if (residual.beside()) {
    const Tensor right = scaled("skip_scaled", skip, residual.skip_factor);
    // The next tile's products do not wait for the store of this one's sum: it lies in skip's rows.
    out->stages.push_back({"joined", "skip", "vta.add"});
    joined = te::Compute(
        "joined", axes,
        [&](const std::vector<Expr>& at) -> te::Value { return right.At(at) + left.At(at); },
        kAccScope);
  }
  if (residual.shift == 0) return joined;
  return ShiftStage("joined_scaled", joined, axes, -residual.shift,
                    residual.beside() ? "skip" : "conv", &out->stages);
}

/// The maximum of each window of `codes`, whose axes are n g co yp xp oy ox q b k, at yp = xp = 0:
/// along lines, then along columns.
Tensor AddMaximum(const JoinedMax& max, const Tensor& codes, std::vector<te::Axis> axes,
                  ConvDefinition* out) {
  enum : size_t { kLinePhase = 3, kColumnPhase, kLine, kColumn };
  auto over = [&](const Tensor& x, size_t phase, size_t pixel, int64_t stride, int64_t taps) {
    axes[phase].extent = 1;
    Tensor most = x;
    for (int64_t tap = 0; tap < taps; ++tap) {
      const int64_t from = tap - (taps - stride);  // from the pixel in which the maximum is taken
      if (from == 0 || (from < 0 && axes[pixel].extent == 1)) continue;  // itself, or a pad
      const Tensor before = most;
      const std::string name = StrCat(phase == kLinePhase ? "lines" : "columns", tap);
      out->stages.push_back({name, "conv", kMaximum});
      if (phase == kLinePhase && from < 0) out->first_lines.push_back(name);
      most = te::Compute(
          name, axes,
          [&](const std::vector<Expr>& at) -> te::Value {
            std::vector<Expr> other = at;
            other[phase] = at[phase] + (from < 0 ? from + stride : from);
            if (from > 0) return Max(before.At(at), x.At(other));
            other[pixel] = at[pixel] - 1;
            return Select(at[pixel] >= 1, Max(before.At(at), x.At(other)), before.At(at));
          },
          kAccScope);
    }
    return most;
  };
  const Tensor columns = over(codes, kColumnPhase, kColumn, max.stride_w, max.kw);
  return over(columns, kLinePhase, kLine, max.stride_h, max.kh);
}

}  // namespace

bool KeepsLines(const ConvShape& shape, const ConvTiling& tiling) {
  return shape.max && shape.max->kept_lines() > 0 && tiling.height < shape.result_h();
}

int64_t ResetPasses(const isa::Config& config) { return config.arch.overwrite ? 0 : 1; }

int64_t ProductsOf(const isa::Config& config, const ConvShape& shape) {
  return shape.ci * shape.kh * shape.kw * ChannelBlocks(config).in_parts - shape.absent_products;
}

int64_t PickedStep(const isa::Config& config, const ConvShape& shape) {
  if (!shape.picks() || shape.stride_w == 1) return 1;
  const isa::Memory& memory = config.memory;
  const int64_t bytes = ChannelBlocks(config).in_parts * config.inp_bytes();
  const int64_t beats = CeilDiv(bytes, BusBytes(config));
  const int64_t bursts = std::min(memory.outstanding, config.uarch.outstanding_reads);
  const int64_t alone = std::max(beats, CeilDiv(memory.read_latency_cycles + beats, bursts));
  return alone < shape.stride_w * beats ? shape.stride_w : 1;
}

int64_t Residual::Passes(const isa::Config& config) const {
  // Rows beside the convolution's start as 0, and are scaled and added.
  const int64_t beside_passes = beside() ? ResetPasses(config) + 2 : 0;
  return (factor != 1) + ChannelBlocks(config).in_parts * terms + beside_passes + (shift != 0) +
         AluPasses(EpilogueOf(config));
}

ConvDefinition DefineConv(const isa::Config& config, isa::Rounding rounding,
                          const SharedLane& common, const std::string& name,
                          const ConvShape& shape) {
  const isa::Arch& arch = config.arch;
  const ConvBlocks parts(config, shape);
  const int64_t in_parts = parts.in_parts, out_parts = parts.out_parts;
  const int64_t blocks = shape.groups * shape.co * out_parts;
  const Tensor x = te::Placeholder("x", {shape.batch, shape.groups * shape.ci, shape.in_h,
                                         shape.in_w * in_parts, arch.batch, arch.block_in});
  const Tensor w = te::Placeholder(
      "w", shape.shared_weights
               ? std::vector<int64_t>{shape.weight_terms, out_parts, shape.ci, in_parts,
                                      arch.block_out, arch.block_in}
               : std::vector<int64_t>{shape.weight_terms, blocks, shape.ci, shape.kh, shape.kw,
                                      in_parts, arch.block_out, arch.block_in});
  const EpilogueKind epilogue = EpilogueOf(config, shape.wide_shift);
  const int64_t set_rows = EpilogueSets(shape) * ParameterRows(epilogue);
  const Tensor p = te::Placeholder(
      "p", {blocks, set_rows + BorderRows(shape), arch.batch, arch.block_out}, DType::kInt32);
  const Tensor padded =
      shape.padded()
          ? te::Pad("x_pad", x, {0, 0, shape.pad_top, shape.pad_left * in_parts, 0, 0},
                    {0, 0, shape.pad_bottom, shape.pad_right * in_parts, 0, 0},
                    loop::IntConst(DType::kInt8, shape.border_rows ? 0 : shape.pad_value))
          : x;
  const int64_t step = PickedStep(config, shape);
  std::optional<Tensor> picked;
  if (shape.picks())
    picked = te::Compute("x_picked",
                         {{"n", shape.batch},
                          {"ci", shape.groups * shape.ci},
                          {"iy", shape.out_h()},
                          {"ix", CeilDiv(shape.in_w, step)},
                          {"r", in_parts},
                          {"b", arch.batch},
                          {"c", arch.block_in}},
                         [&](const std::vector<Expr>& at) -> te::Value {
                           return x(at[0], at[1], at[2] * shape.stride_h,
                                    at[3] * (step * in_parts) + at[4], at[5], at[6]);
                         });
  // Pixels, or the phases of windows and then the windows.
  std::vector<te::Axis> axes = {{"n", shape.batch}, {"g", shape.groups}, {"co", shape.co}};
  if (shape.max)
    axes.insert(axes.end(), {{"yp", shape.max->stride_h}, {"xp", shape.max->stride_w}});
  const std::vector<te::Axis> pixels = {{"oy", shape.result_h()},
                                        {"ox", shape.result_w()},
                                        {"q", out_parts},
                                        {"b", arch.batch},
                                        {"k", arch.block_out}};
  axes.insert(axes.end(), pixels.begin(), pixels.end());
  const te::ReduceAxis t("t", shape.weight_terms), ci("ci", shape.ci), kh("kh", shape.kh),
      kw("kw", shape.kw), r("r", in_parts), c("c", arch.block_in);
  auto block_of = [&](const std::vector<Expr>& at) {
    return (at[1] * shape.co + at[2]) * out_parts + at[at.size() - 3];
  };
  const Tensor conv = te::Compute(
      "conv", axes,
      [&](const std::vector<Expr>& at) -> te::Value {
        const Expr *const end = at.data() + at.size(), &b = end[-2], &k = end[-1];
        const Expr line = shape.max ? at[5] * shape.max->stride_h + at[3] : at[3];
        const Expr pixel = shape.max ? at[6] * shape.max->stride_w + at[4] : at[4];
        const Expr column = pixel * shape.stride_w + kw.expr() * shape.dilation_w;
        const Expr channel = at[1] * shape.ci + ci;
        const Expr value =
            picked ? (*picked)(at[0], channel, line + kh, pixel * (shape.stride_w / step) + kw, r,
                               b, c)
                   : padded(at[0], channel, line * shape.stride_h + kh.expr() * shape.dilation_h,
                            column * in_parts + r, b, c);
        const Expr weight = shape.shared_weights ? w(t, end[-3], ci, r, k, c)
                                                 : w(t, block_of(at), ci, kh, kw, r, k, c);
        return te::ReduceSum(Cast(DType::kInt32, value) * Cast(DType::kInt32, weight),
                             {t, ci, kh, kw, r, c});
      },
      kAccScope);
  ConvDefinition out;
  const Tensor loaded = InScratchpad(p, kAccScope);
  std::vector<Tensor> params = {x, w, p};
  const std::optional<Tensor> codes = shape.table ? std::optional(TableParameter()) : std::nullopt;
  const std::optional<Tensor> table =
      codes ? std::optional(InScratchpad(*codes, kLutScope)) : std::nullopt;
  const Tensor sum = shape.border_rows
                         ? AddBorder(shape, conv, axes, loaded, set_rows, block_of, &out.stages)
                         : conv;
  Tensor last = shape.border_scales
                    ? AddEpilogues(shape, rounding, sum, axes, loaded, block_of, table, &out.stages)
                    : AddEpilogue(epilogue, rounding, common, sum, axes, loaded, block_of,
                                  &out.stages, 0, shape.residual ? std::nullopt : table);
  for (Stage& stage : out.stages) stage.over = "conv";
  if (shape.residual) {
    const Tensor joined = AddSkip(config, shape, last, axes, &params, &out);
    const size_t own = out.stages.size();
    last = AddEpilogue(epilogue, rounding, Shared(shape.residual->lane), joined, axes, loaded,
                       block_of, &out.stages, 1, table);
    for (size_t i = own; i < out.stages.size(); ++i)
      out.stages[i].over = shape.residual->beside() ? "skip" : "conv";
  }
  if (shape.bend)
    last = AddBend(*shape.bend, rounding, last, axes, loaded, block_of, EpilogueSets(shape) - 2,
                   &out.stages);
  if (shape.max) {
    last = AddMaximum(*shape.max, last, axes, &out);
    axes.erase(axes.begin() + 3, axes.begin() + 5);
  }
  const Tensor y = te::Compute("y", axes, [&](std::vector<Expr> at) -> te::Value {
    if (shape.max) at.insert(at.begin() + 3, 2, Expr(0));
    return Cast(DType::kInt8, last.At(at));
  });
  if (codes) params.push_back(*codes);
  params.push_back(y);
  out.function = te::Lower(name, params);
  out.intrinsics = Intrinsics(config, rounding);
  return out;
}

loop::Schedule ScheduleConv(const isa::Config& config, const ConvDefinition& definition,
                            const ConvShape& shape, const ConvTiling& tiling,
                            loop::Verified verified, std::shared_ptr<loop::StepMemo> memo) {
  loop::Schedule schedule(definition.function, definition.intrinsics, verified, std::move(memo));
  ConvSchedule(config, definition, shape, tiling, &schedule).Run();
  return schedule;
}

}  // namespace vta::compiler::targets
