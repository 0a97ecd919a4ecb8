// Functions of floats, written out: the same bits on every CPU, and nothing to import. All but the
// roundings compute in double without contraction and round once.
#pragma once

#include "compiler/llvm/code.h"

namespace vta::compiler::llvm {

/// Operands and results: float, scalar or vector. Accuracy: one unit in the last place.
Value Exp(Code& c, Value x);
Value Log(Code& c, Value x);
Value Tanh(Code& c, Value x);
Value Erf(Code& c, Value x);
Value Pow(Code& c, Value x, Value y);

/// Exact. `bits`: int16.
Value HalfToFloat(Code& c, Value bits);

/// Exact. `x` is a float.
Value Floor(Code& c, Value x);
Value RoundEven(Code& c, Value x);

}  // namespace vta::compiler::llvm
