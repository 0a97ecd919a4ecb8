// Functions of floats, written out: the same bits on every CPU, and nothing to import: no product
// is contracted with a sum.
#pragma once

#include "compiler/llvm/code.h"

namespace vta::compiler::llvm {

/// Operands and results: float, scalar or vector. Exp, Log and Pow are within one unit in the last
/// place, Tanh within 3, Erf within 4, and so is Gelu, or within 2^-25 below 2^-10.
Value Exp(Code& c, Value x);
Value Log(Code& c, Value x);
Value Tanh(Code& c, Value x);
Value Erf(Code& c, Value x);
Value Gelu(Code& c, Value x);
Value Pow(Code& c, Value x, Value y);

/// Exact, and to the nearest, where what is too large becomes the largest; of no number none. The
/// bits are an int16's.
Value HalfToFloat(Code& c, Value bits);
/// What is too large for 16 bits as the largest, for machines that have them.
Value WithinHalf(Code& c, Value x);
Value FloatToHalf(Code& c, Value x);

/// Exact. `x` is a float.
Value Floor(Code& c, Value x);
Value RoundEven(Code& c, Value x);

}  // namespace vta::compiler::llvm
