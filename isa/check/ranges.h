// A set of byte ranges, and whether a strided tile stays inside it.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/check/operands.h"

namespace vta::isa {

class RangeSet {
 public:
  /// In any order; ranges may touch and overlap.
  explicit RangeSet(std::vector<ByteRange> ranges);

  /// The first byte of the tile that lies outside, or -1. Timing: a search for each row.
  int64_t FirstOutside(const DramTile& tile) const;

 private:
  int64_t FirstOutside(int64_t begin, int64_t end) const;

  std::vector<ByteRange> ranges_;  // ascending, apart
};

}  // namespace vta::isa
