// Convolution on VTA, in packed layout; dense layers, pooling by sums and plain requantisation are
// convolutions with special shapes or weights.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/vta/kernels/channel_blocks.h"
#include "compiler/targets/vta/kernels/epilogue.h"
#include "isa/config.h"

namespace vta::compiler::targets {

inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// What memory moves in a cycle.
int64_t BusBytes(const isa::Config& config);

/// Passes over the accumulators before a sum.
int64_t ResetPasses(const isa::Config& config);

/// What follows a convolution's epilogue: y = epilogue of (factor * conv + skip_factor * s) <<
/// shift, of the convolution's codes and those of a tensor s of y's shape. GEMM with a diagonal
/// adds s to the convolution's own rows; where skip_factor is too wide for a weight, it widens s in
/// rows beside them, which the ALU scales and adds. A factor of 1 takes no pass. Needs arch.mul.
struct Residual {
  int64_t factor = 1, skip_factor = 1;  // of at most 16 bits
  int64_t shift = 0;
  isa::RequantLane lane;  // of the sum

  /// Whether s has rows of its own.
  bool beside() const { return std::abs(skip_factor) > 127; }
  /// The largest magnitude of a sum.
  int64_t Most() const { return 128 * (std::abs(factor) + std::abs(skip_factor)) << shift; }
  /// Passes of the compute module over the accumulators, GEMM's included.
  int64_t Passes(const isa::Config& config) const;
  bool operator==(const Residual&) const = default;
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
  /// The hardware pads with 0, and a table adds what pads of another value would have given.
  bool border_table = false;
  /// The int8 terms that each weight is the sum of (weight_terms.h), and how many elements of
  /// weights the terms after the first have that are not 0.
  int64_t weight_terms = 1, further_weights = 0;
  /// Outputs may be phases, to be interleaved: co counts those of phases_h below each other, and
  /// each is phases_w side by side, which lie in one row of the result.
  int64_t phases_h = 1, phases_w = 1;
  /// Taps that not all phases have: those weights are 0, and what is 0 of weights is not there.
  bool absent_taps = false;
  bool wide_shift = false;  // EpilogueKind::kWideShift
  /// One weight block for each input block of a group, the same for all taps and groups: pooling.
  bool shared_weights = false;
  std::optional<Residual> residual;

  int64_t reach_h() const { return (kh - 1) * dilation_h + 1; }
  int64_t reach_w() const { return (kw - 1) * dilation_w + 1; }
  int64_t out_h() const { return (in_h + pad_top + pad_bottom - reach_h()) / stride_h + 1; }
  int64_t out_w() const { return (in_w + pad_left + pad_right - reach_w()) / stride_w + 1; }
  bool padded() const { return pad_top || pad_left || pad_bottom || pad_right; }
  /// The window is one pixel, and strides leave some out: loads take the lines that outputs read
  /// alone, and of these pixels in steps of PickedStep.
  bool picks() const { return kh == 1 && kw == 1 && (stride_h > 1 || stride_w > 1) && !padded(); }
  bool operator==(const ConvShape&) const = default;
};

/// stride_w where it is quicker to load the pixels that outputs read, a burst each, than all of a
/// line; otherwise 1.
int64_t PickedStep(const isa::Config& config, const ConvShape& shape);

/// The blocks of a convolution: its out_parts are those of all phases side by side.
struct ConvBlocks : ChannelBlocks {
  ConvBlocks(const isa::Config& config, const ConvShape& shape) : ChannelBlocks(config) {
    out_parts *= shape.phases_w;
  }
};

/// Which tile loop becomes a pair of virtual threads.
enum class ThreadAxis { kNone, kHeight, kWidth, kChannel };

/// The decisions of a convolution's schedule.
struct ConvTiling {
  int64_t height = 1, width = 1, co = 1;  // of one tile
  int64_t ci = 1, kh = 1;                 // of one step of its reduction; kh whole where it pads
  bool channels_outer = true;             // output channel tiles around space tiles, or within
  bool keep_weights = false;  // channels_outer: all weights of a channel tile stay loaded
  bool keep_inputs = false;   // !channels_outer: all inputs of a space tile stay loaded
  ThreadAxis threads = ThreadAxis::kNone;
  int64_t slots = 1;       // of each buffer that threads do not already have twice
  int64_t load_slots = 1;  // of those that each step loads: how many steps lie ready
  bool operator==(const ConvTiling&) const = default;
};
std::string Print(const ConvTiling& tiling);

/// What is computed. Parameters: x, w, p, c with a border table, s and d with a residual, y. Shape:
///   x [batch, groups * ci, in_h, in_w * in_parts, b, block_in] int8
///   w [weight_terms, groups * co * out_parts, ci, kh, kw, in_parts, block_out, block_in] int8, or
///     [weight_terms, out_parts, ci, in_parts, block_out, block_in] shared
///   p [groups * co * out_parts, rows, b, block_out] int32, the residual's rows behind the others
///   c [groups * co * out_parts, out_h, out_w, b, block_out] int32
///   s [batch, groups * co, out_h, out_w * in_parts, b, block_in] int8
///   d [out_parts, in_parts, block_out, block_in] int8, skip_factor times the identity where that
///   is
///     a weight, otherwise the identity
///   y [batch, groups, co, out_h, out_w, out_parts, b, block_out] int8
/// with the parts of ConvBlocks.
struct ConvDefinition {
  loop::Function function;
  std::vector<Stage> stages;  // what they overwrite: conv, or skip, the widened s
  size_t skip_stage = 0;      // the first behind skip, which widens s or adds it
};
ConvDefinition DefineConv(const isa::Config& config, isa::Rounding rounding,
                          const isa::RequantLane& common, const std::string& name,
                          const ConvShape& shape);

/// The schedule that the tiling stands for, tensorized.
/// Errors: throws Error from the primitive that refuses.
loop::Schedule ScheduleConv(const isa::Config& config, isa::Rounding rounding,
                            const ConvDefinition& definition, const ConvShape& shape,
                            const ConvTiling& tiling);

}  // namespace vta::compiler::targets
