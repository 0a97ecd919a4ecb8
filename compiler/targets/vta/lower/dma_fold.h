// Folding a copy, given row by row, into as few 2-D loads or stores as possible.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/targets/vta/tasks/task.h"

namespace vta::compiler::targets {

/// What a load pads at most on one side.
inline constexpr int64_t kMostPads = 15;

/// What each scratchpad row of a tile exchanges with DRAM.
struct RowTable {
  static constexpr int64_t kPad = -1;   // a load fills the row with the pad value
  static constexpr int64_t kFree = -2;  // the row's contents do not matter
  static constexpr int64_t kKeep = -3;  // the row is not the copy's

  int64_t sram = 0;             // of the tile's first row
  int64_t line = 1;             // rows of the tile's innermost dimension
  std::vector<int64_t> source;  // per row: DRAM element, kPad, kFree or kKeep
};

/// Leaves nothing for a load to pad: free rows of a line take the elements next to the line's own
/// in the tensor of `elems` elements, or are left alone where there are none.
void FillFreeRows(int64_t elems, RowTable* table);

/// Errors: throws Error at `where` if pads are wider than a load can make, or stand alone.
std::vector<Dma> FoldLoad(const RowTable& table, int64_t tensor, bool pad_value,
                          const std::string& where);
std::vector<Dma> FoldStore(const RowTable& table, int64_t tensor);

}  // namespace vta::compiler::targets
