// The operator of chapters 4 and 5: a dense layer of int8 codes in blocks of 16 channels.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/loop/ir.h"

struct Dense {
  int64_t rows, in, out;  // the last two in blocks

  /// y = int8(min(max(x w^T >> 7, 0), 127)).
  /// Shape: x [rows, in, 16], w [out, in, 16, 16], y [rows, out, 16].
  vta::compiler::loop::Function Define() const;
  std::vector<int8_t> Compute(const std::vector<int8_t>& x, const std::vector<int8_t>& w) const;
};
