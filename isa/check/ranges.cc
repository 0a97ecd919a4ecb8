#include "isa/check/ranges.h"

#include <algorithm>

namespace vta::isa {

void RangeSet::Add(int64_t begin, int64_t end) {
  if (begin >= end) return;
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second >= begin) --at;
  // What it touches becomes a part of it.
  while (at != ranges_.end() && at->first <= end) {
    begin = std::min(begin, at->first), end = std::max(end, at->second);
    at = ranges_.erase(at);
  }
  ranges_.emplace_hint(at, begin, end);
}

void RangeSet::Add(const DramTile& tile) {
  for (int64_t y = 0; y < tile.rows; ++y) {
    const int64_t begin = tile.address + y * tile.stride_bytes;
    Add(begin, begin + tile.row_bytes);
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
  const auto after = ranges_.upper_bound(begin);
  const int64_t inside =
      after == ranges_.begin() ? begin : std::max(begin, std::prev(after)->second);
  return inside < end ? inside : -1;
}

}  // namespace vta::isa
