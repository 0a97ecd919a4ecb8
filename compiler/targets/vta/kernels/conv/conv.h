// Convolution on VTA, in packed layout; dense layers, pooling by sums and plain requantisation are
// convolutions with special shapes or weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/vta/kernels/bend.h"
#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/epilogue.h"
#include "compiler/targets/vta/kernels/work.h"
#include "isa/config.h"

namespace vta::compiler::targets {

/// Passes over the accumulators before a sum.
int64_t ResetPasses(const isa::Config& config);

/// What follows a convolution's epilogue: y = epilogue of (factor * conv + skip_factor * s) <<
/// shift, of the convolution's codes and those of a tensor s of y's shape. GEMM with diagonals adds
/// s to the convolution's own rows, in so many terms; where skip_factor is too wide for these, it
/// widens s in rows beside them, which the ALU scales and adds. Only a factor of 1, which takes no
/// pass, needs no arch.mul.
struct Residual {
  static constexpr int64_t kMostWeight = 127;
  int64_t factor = 1, skip_factor = 1;  // of at most 16 bits
  int64_t shift = 0;
  isa::RequantLane lane;  // of the sum
  int64_t terms = 1;

  /// Whether s has rows of its own.
  bool beside() const { return std::abs(skip_factor) > kMostWeight * terms; }
  /// The diagonal of a term.
  int64_t Term(int64_t term) const {
    return beside() ? 1 : std::clamp(skip_factor - kMostWeight * term, -kMostWeight, kMostWeight);
  }
  /// The largest magnitude of a sum.
  int64_t Most() const { return 128 * (std::abs(factor) + std::abs(skip_factor)) << shift; }
  /// Passes of the compute module over the accumulators, GEMM's included.
  int64_t Passes(const isa::Config& config) const;
  bool operator==(const Residual&) const = default;
};

/// The maximum of windows of a convolution's codes, while these lie in the accumulators. Each
/// window has a pixel that no other one reads: the maximum is taken there, over the pixels of the
/// other taps. Pads are what windows share, and all pixels lie in windows.
struct JoinedMax {
  int64_t kh = 1, kw = 1, stride_h = 1, stride_w = 1;

  /// Lines of the convolution that the next line of windows reads again.
  int64_t kept_lines() const { return kh - stride_h; }
  int64_t kept_columns() const { return kw - stride_w; }
  /// Passes of the ALU over a channel block of so many results: taps on pads take none.
  int64_t Passes(int64_t height, int64_t width) const {
    const int64_t along = kept_columns() * (width - 1) + (stride_w - 1) * width;
    return height * stride_h * along +
           (kept_lines() * (height - 1) + (stride_h - 1) * height) * width;
  }
  bool operator==(const JoinedMax&) const = default;
};

/// Of the outputs of a window along an axis those for which it reaches into pads: the first
/// `before` and the last `after` of `size`. They form classes, numbered in order: each of them one,
/// and all between them one.
struct Border {
  int64_t size, before, after;

  Border(int64_t outputs, int64_t inputs, int64_t stride, int64_t pad, int64_t reach);
  int64_t classes() const { return before + after + (before + after < size); }

  /// Outputs from `begin` up to `end` whose classes begin with `first`: one each, or one for all.
  struct Part {
    int64_t begin, end, first;
    bool inside;  // one for all
  };
  std::vector<Part> Parts() const;  // those that are not empty
  /// The first output of a class.
  int64_t OutputOf(int64_t number) const {
    return number <= before ? number : size - classes() + number;
  }
  /// The first output of the class that an output is in.
  int64_t LikeOutput(int64_t output) const {
    return output < before || output >= size - after ? output : before;
  }
};

/// Units: blocks for batch and channels (ChannelBlocks), pixels for height and width.
struct ConvShape {
  int64_t batch = 1;       // blocks of config.batch samples
  int64_t groups = 1;      // parts whose channels do not mix, each of whole blocks
  int64_t ci = 1, co = 1;  // input and output channel blocks of one group
  int64_t in_h = 1, in_w = 1;
  int64_t kh = 1, kw = 1;
  int64_t stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  int64_t pad_value = 0;
  /// The hardware pads with 0, and rows of parameters have what pads of another value would have
  /// given to outputs at the borders.
  bool border_rows = false;
  /// What a window's sum is scaled by depends on which of its taps lie in pads: each class of the
  /// border has parameters of its own.
  bool border_scales = false;
  /// The int8 terms that each weight is the sum of (weight_terms.h), and how many elements of
  /// weights the terms after the first have that are not 0.
  int64_t weight_terms = 1, further_weights = 0;
  /// Outputs may be phases, to be interleaved: co counts those of phases_h below each other, and
  /// each is phases_w side by side, which lie in one row of the result.
  int64_t phases_h = 1, phases_w = 1;
  /// Taps that not all phases have: those weights are 0, and what is 0 of weights is not there.
  bool absent_taps = false;
  int64_t absent_weights = 0;  // how many elements that leaves out
  /// Of the products with elements of inp that an output is the sum of, those whose weights are 0
  /// for all outputs: a folded window is completed by such taps. They are not there either.
  int64_t absent_products = 0;
  bool wide_shift = false;  // EpilogueKind::kWideShift
  /// One weight block for each input block of a group, the same for all taps and groups: pooling.
  bool shared_weights = false;
  std::optional<Residual> residual;
  std::optional<JoinedMax> max;
  std::optional<Bend> bend;  // of the result's codes; not where there is a maximum, or phases
  bool table = false;  // the result's codes go through a table; not where there is one of those

  int64_t reach_h() const { return (kh - 1) * dilation_h + 1; }
  int64_t reach_w() const { return (kw - 1) * dilation_w + 1; }
  int64_t out_h() const { return (in_h + pad_top + pad_bottom - reach_h()) / stride_h + 1; }
  int64_t out_w() const { return (in_w + pad_left + pad_right - reach_w()) / stride_w + 1; }
  /// Pixels of the step's result.
  int64_t result_h() const { return max ? out_h() / max->stride_h : out_h(); }
  int64_t result_w() const { return max ? out_w() / max->stride_w : out_w(); }
  int64_t maximum_passes() const { return max ? max->Passes(result_h(), result_w()) : 0; }
  bool padded() const { return pad_top || pad_left || pad_bottom || pad_right; }
  int64_t lines_read() const { return LinesRead(out_h(), in_h, stride_h, kh, dilation_h, pad_top); }
  int64_t columns_read() const {
    return LinesRead(out_w(), in_w, stride_w, kw, dilation_w, pad_left);
  }
  Border border_h() const { return {out_h(), in_h, stride_h, pad_top, reach_h()}; }
  Border border_w() const { return {out_w(), in_w, stride_w, pad_left, reach_w()}; }
  /// The window is one pixel, and strides leave some out: loads take the lines that outputs read
  /// alone, and of these pixels in steps of PickedStep.
  bool picks() const { return kh == 1 && kw == 1 && (stride_h > 1 || stride_w > 1) && !padded(); }
  bool operator==(const ConvShape&) const = default;
};

/// Rows of parameters for the pads of a channel block.
int64_t BorderRows(const ConvShape& shape);
/// Sets of parameters of a channel block's epilogues.
int64_t EpilogueSets(const ConvShape& shape);

/// stride_w where it is quicker to load the pixels that outputs read, a burst each, than all of a
/// line; otherwise 1.
int64_t PickedStep(const isa::Config& config, const ConvShape& shape);

/// The blocks of a convolution: its out_parts are those of all phases side by side.
struct ConvBlocks : ChannelBlocks {
  ConvBlocks(const isa::Config& config, const ConvShape& shape) : ChannelBlocks(config) {
    out_parts *= shape.phases_w;
  }
};

/// The products with elements of inp that each output is the sum of.
int64_t ProductsOf(const isa::Config& config, const ConvShape& shape);

/// Which tile loop becomes a pair of virtual threads.
enum class ThreadAxis { kNone, kHeight, kWidth, kChannel };

/// The decisions of a convolution's schedule.
struct ConvTiling {
  int64_t height = 1, width = 1, co = 1;  // of one tile of the result
  int64_t ci = 1, kh = 1;                 // of one step of its reduction; kh whole where it pads
  bool channels_outer = true;             // output channel tiles around space tiles, or within
  bool keep_weights = false;  // channels_outer: all weights of a channel tile stay loaded
  bool keep_inputs = false;   // !channels_outer: all inputs of a space tile stay loaded
  ThreadAxis threads = ThreadAxis::kNone;
  int64_t slots = 1;       // of each buffer that threads do not already have twice
  int64_t load_slots = 1;  // of those that each step loads: how many steps lie ready
  bool operator==(const ConvTiling&) const = default;
};
/// Whether a tile keeps lines of the one before in the accumulators.
bool KeepsLines(const ConvShape& shape, const ConvTiling& tiling);

/// What is computed. Parameters: x, w, p, s and d with a residual, t with a table, y. Shape:
///   x [batch, groups * ci, in_h, in_w * in_parts, b, block_in] int8
///   w [weight_terms, groups * co * out_parts, ci, kh, kw, in_parts, block_out, block_in] int8, or
///     [weight_terms, out_parts, ci, in_parts, block_out, block_in] shared
///   p [groups * co * out_parts, rows, b, block_out] int32: rows of the epilogue, or one of
///     each class, of the residual's, of those above and below a bend, and of the border, by its
///     classes of lines, then columns
///   s [batch, groups * co, out_h, out_w * in_parts, b, block_in] int8
///   d [terms, out_parts, in_parts, block_out, block_in] int8: the identity times each term
///   t [256] int8
///   y [batch, groups, co, result_h, result_w, out_parts, b, block_out] int8
/// with the parts of ConvBlocks.
struct ConvDefinition {
  loop::Function function;
  std::vector<tensorize::IntrinsicRef> intrinsics;
  std::vector<Stage> stages;  // what they overwrite: conv, skip, the widened s, or nothing yet
  size_t skip_stage = 0;      // the first behind skip, which widens s or adds it
  std::vector<std::string> first_lines;  // stages that read lines of the windows above
};
ConvDefinition DefineConv(const isa::Config& config, isa::Rounding rounding,
                          const SharedLane& common, const std::string& name,
                          const ConvShape& shape);

/// The schedule that the tiling stands for, tensorized; `memo` is of the definition's schedules.
/// Errors: throws Error from the primitive that refuses.
loop::Schedule ScheduleConv(const isa::Config& config, const ConvDefinition& definition,
                            const ConvShape& shape, const ConvTiling& tiling,
                            loop::Verified verified = loop::Verified::kEachStep,
                            std::shared_ptr<loop::StepMemo> memo = nullptr);

}  // namespace vta::compiler::targets
