// Sets of scratchpad rows: bitsets to build them, runs to walk over them.
#pragma once

#include <cstdint>
#include <vector>

namespace vta::isa {

/// Rows [begin, end).
struct RowRun {
  int32_t begin = 0, end = 0;
  bool operator==(const RowRun&) const = default;
};
using Runs = std::vector<RowRun>;

/// A set of rows in [0, limit).
class RowBits {
 public:
  explicit RowBits(int64_t limit) : words_((limit + 63) / 64) {}

  void Insert(int64_t row) { words_[row / 64] |= uint64_t{1} << (row % 64); }
  /// Adds every row of `other` moved up by `by`; what leaves the limit must not be there.
  void InsertMoved(const RowBits& other, int64_t by);
  /// Adds the copies moved up by step, 2 * step, ... (trips - 1) * step, in log(trips) passes.
  void Repeat(int64_t trips, int64_t step);
  Runs ToRuns() const;

 private:
  std::vector<uint64_t> words_;
};

}  // namespace vta::isa
