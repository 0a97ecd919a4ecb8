// A set of byte ranges, and whether a strided tile stays inside it.
#pragma once

#include <cstdint>
#include <map>

#include "isa/check/operands.h"

namespace vta::isa {

class RangeSet {
 public:
  void Add(int64_t begin, int64_t end);
  /// Timing: a search for each row.
  void Add(const DramTile& tile);

  /// The first byte of [begin, end), or of the tile's, that lies outside, or -1.
  int64_t FirstOutside(int64_t begin, int64_t end) const;
  int64_t FirstOutside(const DramTile& tile) const;

 private:
  std::map<int64_t, int64_t> ranges_;  // begin -> end, apart
};

}  // namespace vta::isa
