#include "isa/check/rows.h"

#include <algorithm>
#include <bit>

namespace vta::isa {

void RowBits::InsertMoved(const RowBits& other, int64_t by) {
  const int64_t words = by / 64;
  const int bits = static_cast<int>(by % 64);
  // Downwards, so that `other` may be this set.
  for (int64_t to = std::ssize(words_) - 1; to >= words; --to) {
    uint64_t moved = other.words_[to - words] << bits;
    if (bits && to > words) moved |= other.words_[to - words - 1] >> (64 - bits);
    words_[to] |= moved;
  }
}

void RowBits::Repeat(int64_t trips, int64_t step) {
  if (step == 0) return;
  // With the copies 0..n-1 in place, moving all of them by k <= n steps gives 0..n-1+k.
  for (int64_t n = 1; n < trips;) {
    const int64_t k = std::min(n, trips - n);
    InsertMoved(*this, k * step);
    n += k;
  }
}

Runs RowBits::ToRuns() const {
  Runs runs;
  for (int64_t w = 0; w < std::ssize(words_); ++w) {
    uint64_t left = words_[w];
    while (left) {
      const int low = std::countr_zero(left);
      const int length = std::countr_one(left >> low);
      const auto begin = static_cast<int32_t>(w * 64 + low);
      if (!runs.empty() && runs.back().end == begin)
        runs.back().end = begin + length;
      else
        runs.push_back({begin, begin + length});
      left = low + length == 64 ? 0 : left & (~uint64_t{0} << (low + length));
    }
  }
  return runs;
}

}  // namespace vta::isa
