// The bytes of DRAM that some instruction stores and some instruction loads: only they can race.
// They are packed into a dense index of granules, the greatest that cut no access.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/check/stamps.h"
#include "isa/check/steps.h"

namespace vta::isa {

class SharedDram {
 public:
  explicit SharedDram(std::span<const Step> steps);

  int64_t granules() const { return granules_; }
  /// The shared granules that the tile touches; the span lives until the next call.
  std::span<const RowRun> Find(const DramTile& tile);
  /// The bytes of granules [begin, end), which must lie in one range.
  DramTile BytesOf(const RowRun& run) const;

 private:
  struct Range {
    int64_t begin = 0, end = 0;  // bytes
    int64_t first = 0;           // granule of `begin`
  };
  bool Touches(int64_t begin, int64_t end) const;

  std::vector<Range> ranges_;  // ascending, apart
  int64_t granule_bytes_ = 1;
  int64_t granules_ = 0;
  Runs found_;
};

}  // namespace vta::isa
