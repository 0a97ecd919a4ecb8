// The border around an activation in memory, written by the kernel that makes it.
#pragma once

#include <vector>

#include "compiler/graph/storage.h"
#include "compiler/loop/ir.h"

namespace vta::compiler::targets {

/// Which part of the result [N, B, H, W, C] an iteration of the outermost loop around it makes:
/// `rows` rows, or those that are left, from `h` on of `blocks` blocks from `first` on, of sample
/// `n`; expressions in that loop's variable.
struct RowsOfBlocks {
  loop::Expr n, first;
  int64_t blocks;
  loop::Expr h;
  int64_t rows;
};

/// The function with its parameter `out` larger by the border: who writes rows fills what is beside
/// them, and the first and the last row's writers what is above and below.
loop::Function AddPadding(const loop::Function& function, const Storage& storage,
                          const RowsOfBlocks& part);

}  // namespace vta::compiler::targets
