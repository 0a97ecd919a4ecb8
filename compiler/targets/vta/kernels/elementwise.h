// Element-wise operators of two int8 tensors on VTA: sum and product of scaled operands. Int8 rows
// reach the accumulators through GEMM with (scaled) identity weights, which every ISA version has.
#pragma once

#include <string>

#include "compiler/loop/schedule/schedule.h"
#include "compiler/targets/vta/kernels/conv.h"

namespace vta::compiler::targets {

/// y = epilogue((multiplier_a * a + multiplier_b * b) << shift). A multiplier of up to 14 bits is
/// two digits of 7: the high ones are summed first and shifted, and the low ones added to that.
struct AddShape {
  int64_t rows = 1;  // pixels of one channel block
  bool two_digits = false;
  int64_t shift = 0;
  bool wide_shift = false;  // EpilogueKind::kWideShift
};
/// y = epilogue((a - zero_a) * (b - zero_b)); needs arch.mul.
struct MulShape {
  int64_t rows = 1;
  int64_t zero_a = 0, zero_b = 0;
};

/// The digits of a multiplier: 128 * high + low, both int8.
struct Digits {
  int8_t high = 0, low = 0;
};
Digits DigitsOf(int64_t multiplier);
inline constexpr int64_t kMostMultiplier = 127 * 128 + 63;

/// The multipliers of a sum with a power of two taken out of both: as little as makes each one
/// digit, or else two. Errors: none; what is too wide even so stays it.
struct SumFactors {
  int64_t a = 1, b = 1, shift = 0;

  bool two_digits() const { return DigitsOf(a).high != 0 || DigitsOf(b).high != 0; }
};
SumFactors TakeOutShift(int64_t a, int64_t b);

/// Errors: throws Error at `name` if no tile fits.
void RequireAdd(const isa::Config& config, const std::string& name, const AddShape& shape);
void RequireMul(const isa::Config& config, const std::string& name, const MulShape& shape);

/// What the shapes need whatever the tile: GEMM widens each operand, of a sum in as many digits as
/// it has.
Work AddWork(const isa::Config& config, const AddShape& shape);
Work MulWork(const isa::Config& config, const MulShape& shape);

/// A definition and its schedule with the largest tile that fits. Parameters: a, b [rows, in_parts,
/// b, block_in] int8; w [out_parts, in_parts, block_out, block_in] (identity) for mul, for add
/// [digits (low first), operands] of such; p [out_parts, rows of the epilogue, b, block_out] int32;
/// y [rows, out_parts, b, block_out] int8. Parts are those of ChannelBlocks.
/// Errors: throws Error if no tile fits.
struct Scheduled {
  loop::Function definition;
  loop::Schedule schedule;
};
Scheduled ScheduleAdd(const isa::Config& config, isa::Rounding rounding,
                      const isa::RequantLane& common, const std::string& name,
                      const AddShape& shape);
Scheduled ScheduleMul(const isa::Config& config, isa::Rounding rounding,
                      const isa::RequantLane& common, const std::string& name,
                      const MulShape& shape);

}  // namespace vta::compiler::targets
