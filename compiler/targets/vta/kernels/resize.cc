#include "compiler/targets/vta/kernels/resize.h"

#include <algorithm>
#include <limits>

#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/constants.h"
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
using ops::LinearTaps;
using te::Tensor;

constexpr int64_t kResizeSlots = 2, kMostResizeWeight = 127;
const std::string kMixed = "mixed";

/// Which pixels along an axis a sum takes: those around each place, where pads are 0, or for those
/// at an end once more the last one, in place of the pad.
enum class ResizePart { kAround, kBefore, kBehind };

/// An axis of a plane with its pads.
struct ResizeAxis {
  const LinearTaps& taps;
  int64_t size;

  int64_t before() const { return taps.phases_before() > 0 ? 1 : 0; }
  int64_t behind() const { return taps.taps() - 1; }
  int64_t padded() const { return before() + size + behind(); }
  std::vector<ResizePart> Parts() const {
    std::vector<ResizePart> parts = {ResizePart::kAround};
    if (before() > 0) parts.push_back(ResizePart::kBefore);
    if (behind() > 0) parts.push_back(ResizePart::kBehind);
    return parts;
  }
  /// The first phase of an element that another one behind it counts in.
  int64_t first_behind() const { return taps.half_pixel ? (taps.scale + 1) / 2 : 1; }
  /// Of the phases of the last element, or of the first one, those that a pad counts in.
  int64_t PhasesOf(ResizePart part) const {
    return part == ResizePart::kBefore ? taps.phases_before() : taps.scale - first_behind();
  }
  /// Micro-ops that sum up one line of results with a part's pixels.
  int64_t Products(ResizePart part) const {
    return part == ResizePart::kAround ? size * taps.scale * taps.taps() : PhasesOf(part);
  }
  /// Whether steps from phase to phase are all alike.
  bool is_even() const { return before() == 0 || taps.scale == 2; }

  Expr Place(ResizePart part, const Expr& own, const Expr& phase, const Expr& tap) const {
    if (part != ResizePart::kAround) return own + before();
    return own + tap + (before() > 0 ? FloorDiv(phase * 2 + 1, Expr(taps.scale)) : Expr(0));
  }
  Expr Tap(ResizePart part, const Expr& tap) const {
    return part == ResizePart::kAround ? tap : Expr(part == ResizePart::kBefore ? 0 : 1);
  }
  /// Where a part counts.
  std::vector<Expr> Conditions(ResizePart part, const Expr& own, const Expr& phase) const {
    if (part == ResizePart::kAround) return {};
    if (part == ResizePart::kBefore) return {own < Expr(1), phase < Expr(taps.phases_before())};
    return {Expr(size - 1) <= own, Expr(first_behind()) <= phase};
  }
};

/// Of the input's pixels.
struct ResizeTile {
  int64_t height = 1, width = 1;
};
/// The tile that fits twice and loads the fewest rows. Errors: throws Error at `name` if none fits.
ResizeTile ChooseResizeTile(const isa::Config& config, const std::string& name,
                            const ResizeShape& s) {
  const isa::Arch& arch = config.arch;
  const ChannelBlocks blocks(config);
  const ResizeAxis lines{s.height, s.in_h}, columns{s.width, s.in_w};
  const int64_t places = s.height.scale * s.width.scale, parts = blocks.in_parts * blocks.out_parts;
  const int64_t diagonals = places * s.height.taps() * s.width.taps() * parts;
  if (diagonals > arch.wgt_depth)
    throw Error(name, "weights", std::to_string(diagonals),
                StrCat("must be at most ", arch.wgt_depth, ", arch.wgt_depth"));
  const int64_t parameters = blocks.out_parts * ParameterRows(EpilogueOf(config));
  ResizeTile best;
  int64_t least = std::numeric_limits<int64_t>::max();
  // The widest, in tiles of one size.
  for (int64_t across = 1; across <= s.in_w; ++across) {
    const int64_t width = CeilDiv(s.in_w, across);
    if (CeilDiv(s.in_w, width) != across) continue;
    const int64_t in_w = width + columns.before() + columns.behind();
    const int64_t inputs = arch.inp_depth / (kResizeSlots * in_w * blocks.in_parts);
    const int64_t outputs =
        (arch.acc_depth / kResizeSlots - parameters) / (width * places * blocks.out_parts);
    const int64_t most = std::min({inputs - lines.before() - lines.behind(), outputs, s.in_h});
    if (most < 1) continue;
    const int64_t down = CeilDiv(s.in_h, most);
    const int64_t rows = across * down * in_w * (CeilDiv(s.in_h, down) + lines.padded() - s.in_h);
    if (rows >= least) continue;
    best = {CeilDiv(s.in_h, down), width};
    least = rows;
  }
  if (least == std::numeric_limits<int64_t>::max())
    throw Error(name, "tile", "none",
                StrCat("the ", places, " places of a pixel must fit the scratchpads twice"));
  return best;
}

ResizeShape ResizeShapeOf(const OperatorStep& step) {
  const BlockSizes in = BlocksOf(step.config, step.graph.shape(step.node.inputs[0]));
  const ops::LinearResize resize(step.node);
  return {in.batch * in.channels, in.height, in.width, resize.height, resize.width};
}

/// What is computed; the sums at ends go on in the first ones.
struct ResizeDefinition {
  loop::Function function;
  std::vector<std::string> ends;
  std::vector<Stage> stages;
};
ResizeDefinition DefineResize(const isa::Config& config, isa::Rounding rounding,
                              const std::string& name, const ResizeShape& s) {
  const isa::Arch& arch = config.arch;
  const ChannelBlocks blocks(config);
  const int64_t parts = blocks.in_parts;
  const EpilogueKind epilogue = EpilogueOf(config);
  const ResizeAxis lines{s.height, s.in_h}, columns{s.width, s.in_w};
  const Tensor x =
      te::Placeholder("x", {s.planes, s.in_h, s.in_w * parts, arch.batch, arch.block_in});
  const Tensor w =
      te::Placeholder("w", {s.height.scale, s.height.taps(), s.width.scale, s.width.taps(),
                            blocks.out_parts, parts, arch.block_out, arch.block_in});
  const Tensor p = te::Placeholder(
      "p", {blocks.out_parts, ParameterRows(epilogue), arch.batch, arch.block_out}, DType::kInt32);
  const Tensor padded =
      te::Pad("x_pad", x, {0, lines.before(), columns.before() * parts, 0, 0},
              {0, lines.behind(), columns.behind() * parts, 0, 0}, loop::IntConst(DType::kInt8, 0));
  const Tensor diagonals = InScratchpad(w, kWgtScope), loaded = InScratchpad(p, kAccScope);
  const std::vector<te::Axis> axes = {
      {"p", s.planes},      {"i", s.in_h},           {"s", s.height.scale}, {"j", s.in_w},
      {"t", s.width.scale}, {"q", blocks.out_parts}, {"b", arch.batch},     {"k", arch.block_out}};
  ResizeDefinition out;
  std::optional<Tensor> sum;
  for (const ResizePart down : lines.Parts())
    for (const ResizePart across : columns.Parts()) {
      const auto taps = [](ResizePart part, const LinearTaps& axis) {
        return part == ResizePart::kAround ? axis.taps() : 1;
      };
      const te::ReduceAxis ty("ty", taps(down, s.height)), tx("tx", taps(across, s.width)),
          r("r", parts), c("c", arch.block_in);
      const std::optional<Tensor> before = sum;
      if (before) out.ends.push_back(StrCat("end", out.ends.size()));
      sum = te::Compute(
          before ? out.ends.back() : kMixed, axes,
          [&](const std::vector<Expr>& at) -> te::Value {
            const Expr &i = at[1], &phase_h = at[2], &j = at[3], &phase_w = at[4], &q = at[5];
            const Expr pixel = padded(at[0], lines.Place(down, i, phase_h, ty),
                                      columns.Place(across, j, phase_w, tx) * parts + r, at[6], c);
            const Expr weight = diagonals(phase_h, lines.Tap(down, ty), phase_w,
                                          columns.Tap(across, tx), q, r, at[7], c);
            const Expr product = Cast(DType::kInt32, pixel) * Cast(DType::kInt32, weight);
            if (!before) return te::ReduceSum(product, {ty, tx, r, c});
            Expr counts = loop::BoolConst(true);
            for (const auto& conditions :
                 {lines.Conditions(down, i, phase_h), columns.Conditions(across, j, phase_w)})
              for (const Expr& condition : conditions) counts = counts && condition;
            const Expr counted = Select(counts, product, loop::IntConst(DType::kInt32, 0));
            return te::From(before->At(at), te::ReduceSum(counted, {ty, tx, r, c}));
          },
          kAccScope);
    }
  const Tensor codes = AddEpilogue(
      epilogue, rounding, {}, *sum, axes, loaded, [](const std::vector<Expr>& at) { return at[5]; },
      &out.stages);
  const Tensor y = te::Compute("y", axes, [&](const std::vector<Expr>& at) -> te::Value {
    return Cast(DType::kInt8, codes.At(at));
  });
  out.function = te::Lower(name, {x, w, p, y});
  return out;
}

/// Puts a sum's reductions outside its pixels; phases whose pixels lie at uneven steps become
/// instructions each, outside all. Returns the outermost loop.
std::string OrderSums(ScheduleSteps* s, const std::string& block, bool by_phase) {
  constexpr size_t kLoops = 12;  // p i s j t q b k, ty tx r c
  std::vector<size_t> order = {8, 9, 10, 0, 1, 2, 3, 4, 5, 6, 7, 11};
  if (by_phase) order = {2, 4, 8, 9, 10, 0, 1, 3, 5, 6, 7, 11};
  std::vector<std::string> loops;
  for (const size_t i : order) loops.push_back(s->Inner(block, kLoops, i));
  s->Reorder(block, loops);
  return loops[0];
}

void UnrollPhases(ScheduleSteps* s, const std::string& block) {
  constexpr size_t kLoops = 12;
  for (const size_t i : {0, 1}) s->Do("unroll", block, s->Inner(block, kLoops, i));
}

}  // namespace

Work ResizeWork(const isa::Config& config, const ResizeShape& s) {
  const ChannelBlocks blocks(config);
  const ResizeAxis lines{s.height, s.in_h}, columns{s.width, s.in_w};
  const int64_t places = s.height.scale * s.width.scale, parts = blocks.in_parts * blocks.out_parts;
  const int64_t pixels = s.planes * s.in_h * s.in_w, vectors = pixels * places * blocks.out_parts;
  const EpilogueKind epilogue = EpilogueOf(config);
  int64_t products = 0;
  for (const ResizePart down : lines.Parts())
    for (const ResizePart across : columns.Parts())
      products += lines.Products(down) * columns.Products(across);
  Work work;
  work.widenings = s.planes * products * parts;
  work.resets = vectors * ResetPasses(config);
  work.alu = vectors * AluPasses(epilogue);
  work.second_reads = SecondReads(config, vectors * TensorPasses(epilogue));
  work.bytes = pixels * blocks.in_parts * config.inp_bytes() + vectors * config.out_bytes() +
               places * s.height.taps() * s.width.taps() * parts * config.wgt_bytes() +
               blocks.out_parts * ParameterRows(epilogue) * config.acc_bytes();
  return work;
}

Scheduled ScheduleResize(const isa::Config& config, isa::Rounding rounding, const std::string& name,
                         const ResizeShape& shape) {
  const ResizeTile tile = ChooseResizeTile(config, name, shape);
  const ResizeDefinition definition = DefineResize(config, rounding, name, shape);
  const bool by_phase = !ResizeAxis{shape.height, shape.in_h}.is_even() ||
                        !ResizeAxis{shape.width, shape.in_w}.is_even();
  return {definition.function, [&config, rounding, tile, definition, by_phase](auto memo) {
            loop::Schedule schedule(definition.function, Intrinsics(config, rounding),
                                    loop::Verified::kNever, std::move(memo));
            ScheduleSteps s(&schedule);
            const size_t lanes = ElementShape(config, kAccScope).size();
            const auto h = s.Do("split", "y", "i", tile.height),
                       w = s.Do("split", "y", "j", tile.width);
            s.Reorder("y", {h[0], w[0], h[1], "s", w[1]});
            for (size_t i = definition.stages.size(); i-- > 0;)
              s.Do("compute_at", definition.stages[i].block, "y", w[0]);
            for (size_t i = definition.ends.size(); i-- > 0;)
              s.Do("compute_at", definition.ends[i], "y", w[0]);
            s.Do("compute_at", kMixed, "y", w[0]);
            s.Do("compute_at", "x_pad", "y", w[0]);
            s.Do("set_scope", "x_pad", kInpScope);
            s.Do("annotate", "x_pad", "-", kSlotsAnnotation, kResizeSlots);
            for (const std::string& block : definition.ends) s.Do("inplace", block, kMixed);
            for (const Stage& stage : definition.stages) s.Do("inplace", stage.block, kMixed);
            s.Do("annotate", kMixed, "-", kSlotsAnnotation, kResizeSlots);
            const std::string start =
                s.Do("decompose_reduction", kMixed, OrderSums(&s, kMixed, by_phase))[0];
            s.Do("tensorize", start, s.Inner(start, lanes), "vta.gemm");
            for (const std::string& block : definition.ends) OrderSums(&s, block, by_phase);
            std::vector<std::string> sums = definition.ends;
            sums.push_back(kMixed);
            for (const std::string& block : sums) {
              if (by_phase) UnrollPhases(&s, block);
              s.Do("tensorize", block, s.Inner(block, lanes + 1), "vta.gemm");
            }
            for (const Stage& stage : definition.stages)
              s.Do("tensorize", stage.block, s.Inner(stage.block, lanes), stage.intrinsic);
            return schedule;
          }};
}

std::vector<uint8_t> ResizeWeights(const isa::Config& config, const ResizeShape& s,
                                   int64_t factor) {
  std::vector<uint8_t> weights;
  for (int64_t i = 0; i < s.height.scale; ++i)
    for (int64_t ty = 0; ty < s.height.taps(); ++ty)
      for (int64_t j = 0; j < s.width.scale; ++j)
        for (int64_t tx = 0; tx < s.width.taps(); ++tx) {
          const int64_t weight = factor * s.height.Weight(i, ty) * s.width.Weight(j, tx);
          const std::vector<uint8_t> diagonal = Diagonal(config, static_cast<int8_t>(weight));
          weights.insert(weights.end(), diagonal.begin(), diagonal.end());
        }
  return weights;
}

void RequireResize(const OperatorStep& step) {
  if (EpilogueOf(step.config) != EpilogueKind::kRequant)
    Refuse(step.node, "arch.requant", "0",
           "sums of pixels are scaled by the ALU operation requant");
  const int64_t most = ops::LinearResize(step.node).most_weight();
  if (most > kMostResizeWeight)
    Refuse(step.node, "weights", std::to_string(most),
           StrCat("must be at most ", kMostResizeWeight, ", which int8 holds"));
  ChooseResizeTile(step.config, step.name(), ResizeShapeOf(step));
}

std::vector<Work> ResizeLayouts(const OperatorStep& step) {
  return {ResizeWork(step.config, ResizeShapeOf(step))};
}

namespace {

int64_t MostResizeSum(const Node& node) { return 128 * ops::LinearResize(node).sum(); }

}  // namespace

double ErrorOfResize(const OperatorStep& step) {
  const isa::RequantLane lane = LaneOf(step.node);
  const int64_t most = MostResizeSum(step.node);
  return ErrorOfScale(FactorOf(lane), ScaleApplied(step.config, lane, most),
                      static_cast<double>(most + std::abs(int64_t{lane.bias})));
}

StepPlan PlanResize(const OperatorStep& step) {
  const isa::Config& config = step.config;
  const ResizeShape shape = ResizeShapeOf(step);
  const size_t lanes = ChannelBlocks(config).channels;
  Scheduled kernel = ScheduleResize(config, step.graph.rounding(), step.name(), shape);
  return {
      std::move(kernel.definition),
      std::move(kernel.schedule),
      "",
      {{"x", step.node.inputs[0]}, {"y", step.node.output}},
      {{"w", ResizeWeights(config, shape, step.node.Int("factor"))},
       {"p", Bytes(PackParameters(config, std::vector<isa::RequantLane>(lanes, LaneOf(step.node)),
                                  std::vector<int64_t>(lanes, MostResizeSum(step.node))))}}};
}

}  // namespace vta::compiler::targets
