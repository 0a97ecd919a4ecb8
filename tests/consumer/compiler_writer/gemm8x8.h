// The instruction of chapters 3 and 6, and a matrix product of its tiles.
#pragma once

#include <cstdint>

#include "compiler/loop/schedule/schedule.h"

inline constexpr int64_t kM = 16, kN = 24, kK = 32;

vta::compiler::tensorize::IntrinsicRef Gemm8x8();

/// c = a b^T in tiles of 8 x 8 x 8. Shape: a [kM, kK], b [kN, kK], c [kM, kN].
vta::compiler::loop::Schedule TiledMatmul();
/// The same of calls of the instruction.
vta::compiler::loop::Function TensorizedMatmul();
