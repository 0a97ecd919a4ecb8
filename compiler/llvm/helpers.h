// Functions that a module holds where the machine has no instruction for what they do.
#pragma once

#include "compiler/llvm/code.h"

namespace vta::compiler::llvm {

/// (a, b) -> a / b, unsigned, of 32 or 64 bits; b is not 0.
Value UnsignedDivide(Code& c, int bits);
/// int64 -> float, rounded once.
Value Int64ToFloat(Code& c);
/// float -> int64: truncates, saturates, NaN gives 0.
Value FloatToInt64(Code& c);

}  // namespace vta::compiler::llvm
