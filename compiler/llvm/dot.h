// Dot products of bytes and words, by the machine's own instructions where it has them.
#pragma once

#include "compiler/llvm/code.h"

namespace vta::compiler::llvm {

/// The factors, signed but perhaps for x where they are bytes; 32 bits of them make one group.
struct DotTypes {
  int bits;  // 8 or 16
  bool x_signed;
};

/// acc[o] + sum over i of x[i] * w[o][i] or x[o][i] * w[o][i], exact but for wrapping to int32.
/// Shape: acc int32 [lanes]; x int32, one group for all lanes, or [lanes]; w int32 [lanes], a group
/// a lane. The first of a group is in the low bits. `lanes` is a power of two, at least 4.
Value Dot(Code& c, const DotTypes& types, Value acc, Value x, Value w);

/// A group a lane of factors [i][o] that lie one after the other. Shape: int32 [lanes] both.
Value Grouped(Code& c, const DotTypes& types, Value x);

}  // namespace vta::compiler::llvm
