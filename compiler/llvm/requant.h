// Fixed-point scaling of int32, exact to the bit.
#pragma once

#include "compiler/llvm/code.h"
#include "isa/spec/requant.h"

namespace vta::compiler::llvm {

/// int32 operands -> int64, as isa::FixedPointMultiply.
Value Rescale(Code& c, Value value, Value multiplier, Value exponent, isa::Rounding rounding);
/// The same, of its result the low 32 bits.
Value RescaleLow(Code& c, Value value, Value multiplier, Value exponent, isa::Rounding rounding);

/// int32 operands -> int32, as isa::Requant.
Value Requant(Code& c, Value accumulator, Value bias, Value multiplier, Value packed,
              isa::Rounding rounding);

}  // namespace vta::compiler::llvm
