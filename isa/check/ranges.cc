#include "isa/check/ranges.h"

#include <algorithm>

namespace vta::isa {

RangeSet::RangeSet(std::vector<ByteRange> ranges) {
  std::ranges::sort(ranges, {}, &ByteRange::begin);
  for (const ByteRange& range : ranges) {
    if (range.begin >= range.end) continue;
    if (!ranges_.empty() && range.begin <= ranges_.back().end)
      ranges_.back().end = std::max(ranges_.back().end, range.end);
    else
      ranges_.push_back(range);
  }
}

int64_t RangeSet::FirstOutside(const DramTile& tile) const {
  if (tile.rows == 0 || FirstOutside(tile.address, tile.end()) < 0) return -1;
  for (int64_t y = 0; y < tile.rows; ++y) {
    const int64_t begin = tile.address + y * tile.stride_bytes;
    if (const int64_t byte = FirstOutside(begin, begin + tile.row_bytes); byte >= 0) return byte;
  }
  return -1;
}

int64_t RangeSet::FirstOutside(int64_t begin, int64_t end) const {
  const auto after = std::ranges::upper_bound(ranges_, begin, {}, &ByteRange::begin);
  const int64_t inside = after == ranges_.begin() ? begin : std::max(begin, std::prev(after)->end);
  return inside < end ? inside : -1;
}

}  // namespace vta::isa
