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
constexpr int64_t kFactorRows = 2;  // of a block of channels, where there are two tensors
constexpr int64_t kJoiningPasses = 3;

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
  const int64_t tensors = s.two ? 2 : 1;
  const int64_t parameters =
      blocks.out_parts * (ParameterRows(EpilogueOf(config)) + (s.two ? kFactorRows : 0));
  ResizeTile best;
  int64_t least = std::numeric_limits<int64_t>::max();
  // The widest, in tiles of one size.
  for (int64_t across = 1; across <= s.in_w; ++across) {
    const int64_t width = CeilDiv(s.in_w, across);
    if (CeilDiv(s.in_w, width) != across) continue;
    const int64_t in_w = width + columns.before() + columns.behind();
    const int64_t inputs = arch.inp_depth / (kResizeSlots * tensors * in_w * blocks.in_parts);
    const int64_t outputs = (arch.acc_depth / kResizeSlots - parameters) /
                            (tensors * width * places * blocks.out_parts);
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
  return {in.batch,
          in.channels,
          in.height,
          in.width,
          resize.height,
          resize.width,
          step.node.inputs.size() > 1};
}

/// The sums of one tensor's pixels: those at ends go on in the first ones.
struct ResizeSums {
  std::string loaded, first;
  std::vector<std::string> ends;
};
/// What is computed.
struct ResizeDefinition {
  loop::Function function;
  std::vector<ResizeSums> sums;
  std::vector<Stage> stages;
};

class ResizeDefiner {
 public:
  ResizeDefiner(const isa::Config& config, const ResizeShape& s)
      : config_(config),
        s_(s),
        blocks_(config),
        lines_{s.height, s.in_h},
        columns_{s.width, s.in_w},
        axes_{{"n", s.batch},
              {"g", s.channels},
              {"i", s.in_h},
              {"s", s.height.scale},
              {"j", s.in_w},
              {"t", s.width.scale},
              {"q", blocks_.out_parts},
              {"b", config.arch.batch},
              {"k", config.arch.block_out}} {}

  ResizeDefinition Make(isa::Rounding rounding, const std::string& name) {
    const isa::Arch& arch = config_.arch;
    const EpilogueKind epilogue = EpilogueOf(config_);
    const Tensor w =
        te::Placeholder("w", {s_.height.scale, s_.height.taps(), s_.width.scale, s_.width.taps(),
                              blocks_.out_parts, blocks_.in_parts, arch.block_out, arch.block_in});
    const Tensor p = te::Placeholder(
        "p", {blocks_.out_parts, ParameterRows(epilogue), arch.batch, arch.block_out},
        DType::kInt32);
    const Tensor diagonals = InScratchpad(w, kWgtScope), loaded = InScratchpad(p, kAccScope);
    params_ = {w, p};
    Tensor sum = Sums("x", diagonals);
    if (s_.two) sum = Joined(sum, Sums("z", diagonals));
    const size_t own = out_.stages.size();
    const Tensor codes = AddEpilogue(
        epilogue, rounding, {}, sum, axes_, loaded,
        [](const std::vector<Expr>& at) { return at[kPart]; }, &out_.stages);
    for (size_t i = own; i < out_.stages.size(); ++i) out_.stages[i].over = out_.sums[0].first;
    params_.push_back(te::Compute("y", axes_, [&](const std::vector<Expr>& at) -> te::Value {
      return Cast(DType::kInt8, codes.At(at));
    }));
    out_.function = te::Lower(name, params_);
    return std::move(out_);
  }

 private:
  enum : size_t { kLine = 2, kLinePhase, kColumn, kColumnPhase, kPart, kSample, kLane };

  Tensor Sums(const std::string& name, const Tensor& diagonals) {
    const isa::Arch& arch = config_.arch;
    const int64_t parts = blocks_.in_parts;
    params_.push_back(te::Placeholder(
        name, {s_.batch, s_.channels, s_.in_h, s_.in_w * parts, arch.batch, arch.block_in}));
    const Tensor padded = te::Pad(
        name + "_pad", params_.back(), {0, 0, lines_.before(), columns_.before() * parts, 0, 0},
        {0, 0, lines_.behind(), columns_.behind() * parts, 0, 0}, loop::IntConst(DType::kInt8, 0));
    ResizeSums sums{padded.name(), name + "_sums", {}};
    std::optional<Tensor> sum;
    for (const ResizePart down : lines_.Parts())
      for (const ResizePart across : columns_.Parts()) {
        if (sum) sums.ends.push_back(StrCat(name, "_end", sums.ends.size()));
        sum = SumsOf(sum ? sums.ends.back() : sums.first, padded, diagonals, down, across, sum);
      }
    out_.sums.push_back(std::move(sums));
    return *sum;
  }

  /// Of a part of the pixels, on top of others.
  Tensor SumsOf(const std::string& name, const Tensor& padded, const Tensor& diagonals,
                ResizePart down, ResizePart across, const std::optional<Tensor>& before) const {
    const auto taps = [](ResizePart part, const LinearTaps& axis) {
      return part == ResizePart::kAround ? axis.taps() : 1;
    };
    const int64_t parts = blocks_.in_parts;
    const te::ReduceAxis ty("ty", taps(down, s_.height)), tx("tx", taps(across, s_.width)),
        r("r", parts), c("c", config_.arch.block_in);
    return te::Compute(
        name, axes_,
        [&](const std::vector<Expr>& at) -> te::Value {
          const Expr line = lines_.Place(down, at[kLine], at[kLinePhase], ty),
                     column = columns_.Place(across, at[kColumn], at[kColumnPhase], tx);
          const Expr pixel = padded(at[0], at[1], line, column * parts + r, at[kSample], c);
          const Expr weight = diagonals(at[kLinePhase], lines_.Tap(down, ty), at[kColumnPhase],
                                        columns_.Tap(across, tx), at[kPart], r, at[kLane], c);
          const Expr product = Cast(DType::kInt32, pixel) * Cast(DType::kInt32, weight);
          if (!before) return te::ReduceSum(product, {ty, tx, r, c});
          Expr counts = loop::BoolConst(true);
          for (const auto& conditions :
               {lines_.Conditions(down, at[kLine], at[kLinePhase]),
                columns_.Conditions(across, at[kColumn], at[kColumnPhase])})
            for (const Expr& condition : conditions) counts = counts && condition;
          const Expr counted = Select(counts, product, loop::IntConst(DType::kInt32, 0));
          return te::From(before->At(at), te::ReduceSum(counted, {ty, tx, r, c}));
        },
        kAccScope);
  }

  /// The sum of both tensors' sums, each times its factors.
  Tensor Joined(const Tensor& first, const Tensor& second) {
    const Tensor f = te::Placeholder(
        "f",
        {s_.channels * blocks_.out_parts, kFactorRows, config_.arch.batch, config_.arch.block_out},
        DType::kInt32);
    params_.push_back(f);
    const Tensor factors = InScratchpad(f, kAccScope);
    const auto scaled = [&](const Tensor& sum, size_t row) {
      const std::string& over = out_.sums[row].first;
      out_.stages.push_back({over + "_scaled", over, "vta.mul"});
      return te::Compute(
          over + "_scaled", axes_,
          [&](const std::vector<Expr>& at) -> te::Value {
            return sum.At(at) * factors(at[1] * blocks_.out_parts + at[kPart],
                                        Expr(static_cast<int64_t>(row)), at[kSample], at[kLane]);
          },
          kAccScope);
    };
    const Tensor left = scaled(first, 0), right = scaled(second, 1);
    out_.stages.push_back({"joined", out_.sums[0].first, "vta.add"});
    return te::Compute(
        "joined", axes_,
        [&](const std::vector<Expr>& at) -> te::Value { return left.At(at) + right.At(at); },
        kAccScope);
  }

  const isa::Config& config_;
  const ResizeShape& s_;
  const ChannelBlocks blocks_;
  const ResizeAxis lines_, columns_;
  const std::vector<te::Axis> axes_;
  std::vector<Tensor> params_;
  ResizeDefinition out_;
};

/// Puts a sum's reductions outside its pixels; phases whose pixels lie at uneven steps become
/// instructions each, outside all. Returns the outermost loop.
std::string OrderSums(ScheduleSteps* s, const std::string& block, bool by_phase) {
  constexpr size_t kLoops = 13;  // n g i s j t q b k, ty tx r c
  std::vector<size_t> order = {9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 12};
  if (by_phase) order = {3, 5, 9, 10, 11, 0, 1, 2, 4, 6, 7, 8, 12};
  std::vector<std::string> loops;
  for (const size_t i : order) loops.push_back(s->Inner(block, kLoops, i));
  s->Reorder(block, loops);
  return loops[0];
}

void UnrollPhases(ScheduleSteps* s, const std::string& block) {
  constexpr size_t kLoops = 13;
  for (const size_t i : {0, 1}) s->Do("unroll", block, s->Inner(block, kLoops, i));
}

loop::Schedule ScheduleResizeBy(const isa::Config& config, isa::Rounding rounding,
                                const ResizeDefinition& definition, const ResizeTile& tile,
                                bool by_phase, std::shared_ptr<loop::StepMemo> memo) {
  loop::Schedule schedule(definition.function, Intrinsics(config, rounding), loop::Verified::kNever,
                          std::move(memo));
  ScheduleSteps s(&schedule);
  const size_t lanes = ElementShape(config, kAccScope).size();
  const auto h = s.Do("split", "y", "i", tile.height), w = s.Do("split", "y", "j", tile.width);
  s.Reorder("y", {h[0], w[0], h[1], "s", w[1]});
  const auto place = [&](const std::string& block) { s.Do("compute_at", block, "y", w[0]); };
  const auto take_turns = [&](const std::string& block) {
    s.Do("annotate", block, "-", kSlotsAnnotation, kResizeSlots);
  };
  for (size_t i = definition.stages.size(); i-- > 0;) place(definition.stages[i].block);
  for (size_t t = definition.sums.size(); t-- > 0;) {
    const ResizeSums& sums = definition.sums[t];
    for (size_t i = sums.ends.size(); i-- > 0;) place(sums.ends[i]);
    place(sums.first);
    place(sums.loaded);
    s.Do("set_scope", sums.loaded, kInpScope);
    take_turns(sums.loaded);
    take_turns(sums.first);
    for (const std::string& block : sums.ends) s.Do("inplace", block, sums.first);
  }
  if (definition.sums.size() > 1) {
    s.Do("compute_at", "f_acc", "y", "g");
    take_turns("f_acc");
  }
  for (const Stage& stage : definition.stages) s.Do("inplace", stage.block, stage.over);
  for (const ResizeSums& sums : definition.sums) {
    const std::string start =
        s.Do("decompose_reduction", sums.first, OrderSums(&s, sums.first, by_phase))[0];
    s.Do("tensorize", start, s.Inner(start, lanes), "vta.gemm");
    for (const std::string& block : sums.ends) OrderSums(&s, block, by_phase);
    std::vector<std::string> blocks = sums.ends;
    blocks.push_back(sums.first);
    for (const std::string& block : blocks) {
      if (by_phase) UnrollPhases(&s, block);
      s.Do("tensorize", block, s.Inner(block, lanes + 1), "vta.gemm");
    }
  }
  for (const Stage& stage : definition.stages)
    s.Do("tensorize", stage.block, s.Inner(stage.block, lanes), stage.intrinsic);
  return schedule;
}

/// The factors of a channel, of the first or the second tensor; 0 beyond the node's channels.
int64_t ResizeFactor(const OperatorStep& step, size_t tensor, int64_t channel) {
  const auto factors = step.graph.constant(step.node.inputs[2 + tensor])->data<int32_t>();
  return channel < std::ssize(factors) ? factors[static_cast<size_t>(channel)] : 0;
}

int64_t ResizeChannels(const OperatorStep& step) {
  return BlocksOf(step.config, step.graph.shape(step.node.inputs[0])).channels *
         ChannelBlocks(step.config).channels;
}

int64_t MostResizeSum(const OperatorStep& step) {
  const int64_t most = 128 * ops::LinearResize(step.node).sum();
  if (step.node.inputs.size() == 1) return most;
  int64_t factor = 0;
  for (int64_t c = 0; c < ResizeChannels(step); ++c)
    factor =
        std::max(factor, std::abs(ResizeFactor(step, 0, c)) + std::abs(ResizeFactor(step, 1, c)));
  return most * factor;
}

/// As memory has them: of each block of out the first tensor's, then the second's.
std::vector<uint8_t> ResizeFactors(const OperatorStep& step) {
  const isa::Arch& arch = step.config.arch;
  std::vector<int32_t> rows;
  for (int64_t first = 0; first < ResizeChannels(step); first += arch.block_out)
    for (const size_t tensor : {0, 1})
      for (int64_t b = 0; b < arch.batch; ++b)
        for (int64_t k = 0; k < arch.block_out; ++k)
          rows.push_back(static_cast<int32_t>(ResizeFactor(step, tensor, first + k)));
  return Bytes(rows);
}

}  // namespace

Work ResizeWork(const isa::Config& config, const ResizeShape& s) {
  const ChannelBlocks blocks(config);
  const ResizeAxis lines{s.height, s.in_h}, columns{s.width, s.in_w};
  const int64_t places = s.height.scale * s.width.scale, parts = blocks.in_parts * blocks.out_parts;
  const int64_t planes = s.batch * s.channels, pixels = planes * s.in_h * s.in_w;
  const int64_t vectors = pixels * places * blocks.out_parts, tensors = s.two ? 2 : 1;
  const EpilogueKind epilogue = EpilogueOf(config);
  const int64_t joining = s.two ? kJoiningPasses : 0;
  int64_t products = 0, rows = ParameterRows(epilogue);
  for (const ResizePart down : lines.Parts())
    for (const ResizePart across : columns.Parts())
      products += lines.Products(down) * columns.Products(across);
  if (s.two) rows += s.channels * kFactorRows;
  Work work;
  work.widenings = tensors * planes * products * parts;
  work.resets = tensors * vectors * ResetPasses(config);
  work.alu = vectors * (AluPasses(epilogue) + joining);
  work.second_reads = SecondReads(config, vectors * (TensorPasses(epilogue) + joining));
  work.bytes = tensors * pixels * blocks.in_parts * config.inp_bytes() +
               vectors * config.out_bytes() +
               places * s.height.taps() * s.width.taps() * parts * config.wgt_bytes() +
               blocks.out_parts * rows * config.acc_bytes();
  return work;
}

Scheduled ScheduleResize(const isa::Config& config, isa::Rounding rounding, const std::string& name,
                         const ResizeShape& shape) {
  const ResizeTile tile = ChooseResizeTile(config, name, shape);
  const ResizeDefinition definition = ResizeDefiner(config, shape).Make(rounding, name);
  const bool by_phase = !ResizeAxis{shape.height, shape.in_h}.is_even() ||
                        !ResizeAxis{shape.width, shape.in_w}.is_even();
  return {definition.function, [&config, rounding, tile, definition, by_phase](auto memo) {
            return ScheduleResizeBy(config, rounding, definition, tile, by_phase, std::move(memo));
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
  const Node& node = step.node;
  if (EpilogueOf(step.config) != EpilogueKind::kRequant)
    Refuse(node, "arch.requant", "0", "sums of pixels are scaled by the ALU operation requant");
  if (node.inputs.size() > 1 && !step.config.arch.mul)
    Refuse(node, "arch.mul", "0", "the sums of two tensors need the ALU operation mul");
  for (size_t i = 2; i < node.inputs.size(); ++i)
    if (!step.graph.constant(node.inputs[i]))
      Refuse(node, "input", step.graph.value(node.inputs[i]).name, "must be a constant");
  const int64_t most = ops::LinearResize(node).most_weight();
  if (most > kMostResizeWeight)
    Refuse(node, "weights", std::to_string(most),
           StrCat("must be at most ", kMostResizeWeight, ", which int8 holds"));
  ChooseResizeTile(step.config, step.name(), ResizeShapeOf(step));
}

std::vector<Work> ResizeLayouts(const OperatorStep& step) {
  return {ResizeWork(step.config, ResizeShapeOf(step))};
}

double ErrorOfResize(const OperatorStep& step) {
  const isa::RequantLane lane = LaneOf(step.node);
  const int64_t most = MostResizeSum(step);
  return ErrorOfScale(FactorOf(lane), ScaleApplied(step.config, lane, most),
                      static_cast<double>(most + std::abs(int64_t{lane.bias})));
}

StepPlan PlanResize(const OperatorStep& step) {
  const isa::Config& config = step.config;
  const Node& node = step.node;
  const ResizeShape shape = ResizeShapeOf(step);
  const size_t lanes = ChannelBlocks(config).channels;
  Scheduled kernel = ScheduleResize(config, step.graph.rounding(), step.name(), shape);
  const std::vector<int32_t> rows =
      PackParameters(config, std::vector<isa::RequantLane>(lanes, LaneOf(node)),
                     std::vector<int64_t>(lanes, MostResizeSum(step)));
  StepPlan plan{std::move(kernel.definition),
                std::move(kernel.schedule),
                "",
                {{"x", node.inputs[0]}, {"y", node.output}},
                {{"w", ResizeWeights(config, shape, node.Int("factor"))}, {"p", Bytes(rows)}}};
  if (shape.two) {
    plan.tensors.emplace_back("z", node.inputs[1]);
    plan.constants.emplace_back("f", ResizeFactors(step));
  }
  return plan;
}

}  // namespace vta::compiler::targets
