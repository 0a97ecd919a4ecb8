// Integer operations of the loop IR that are more than one instruction, as the interpreter does
// them; and conversions between integers and floats.
#pragma once

#include "compiler/llvm/code.h"
#include "compiler/loop/arith.h"

namespace vta::compiler::llvm {

/// Rounding down; by 0 it gives 0. `a_range` and `b_range` bound the operands, where known.
Value FloorDiv(Code& c, Value a, Value b, bool is_signed, loop::Interval a_range,
               loop::Interval b_range);
/// a - b * FloorDiv(a, b).
Value FloorMod(Code& c, Value a, Value b, bool is_signed, loop::Interval a_range,
               loop::Interval b_range);

/// int32, as isa::ShiftRight.
Value ShiftRight(Code& c, Value a, Value n);

/// A float to an integer of this type: truncates, saturates, NaN gives 0.
Value Saturate(Code& c, Value x, loop::DType to);
/// `range` bounds the value, where known.
Value ToFloat(Code& c, Value a, bool is_signed, loop::Interval range);

}  // namespace vta::compiler::llvm
