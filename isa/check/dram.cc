#include "isa/check/dram.h"

#include <algorithm>
#include <bit>

namespace vta::isa {
namespace {

/// More than this many granules are merged: absurdly large programs may then be refused for bytes
/// that only lie close.
constexpr int64_t kMostGranules = int64_t{1} << 23;

struct Span {
  int64_t begin, end;
};

std::vector<Span> Union(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::begin);
  std::vector<Span> out;
  for (const Span& span : spans) {
    if (!out.empty() && span.begin <= out.back().end)
      out.back().end = std::max(out.back().end, span.end);
    else
      out.push_back(span);
  }
  return out;
}

std::vector<Span> Intersection(const std::vector<Span>& a, const std::vector<Span>& b) {
  std::vector<Span> out;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int64_t begin = std::max(a[i].begin, b[j].begin), end = std::min(a[i].end, b[j].end);
    if (begin < end) out.push_back({begin, end});
    a[i].end < b[j].end ? ++i : ++j;
  }
  return out;
}

}  // namespace

SharedDram::SharedDram(std::span<const Step> steps) {
  std::vector<Span> loaded, stored;
  for (const Step& step : steps)
    if (step.dram.rows > 0)
      (step.store ? stored : loaded).push_back({step.dram.address, step.dram.end()});
  std::vector<Span> shared = Intersection(Union(std::move(loaded)), Union(std::move(stored)));
  if (shared.empty()) return;

  int64_t total = 0;
  for (const Span& span : shared) {
    ranges_.push_back({span.begin, span.end, 0});
    total += span.end - span.begin;
  }
  uint64_t cuts = uint64_t{1} << 20;
  for (const Step& step : steps)
    if (step.dram.rows > 0 && Touches(step.dram.address, step.dram.end()))
      cuts |=
          static_cast<uint64_t>(step.dram.address | step.dram.row_bytes | step.dram.stride_bytes);
  granule_bytes_ = int64_t{1} << std::countr_zero(cuts);
  while (total / granule_bytes_ > kMostGranules) granule_bytes_ *= 2;

  for (Span& span : shared) {
    span.begin -= span.begin % granule_bytes_;
    span.end += granule_bytes_ - 1 - (span.end - 1) % granule_bytes_;
  }
  ranges_.clear();
  for (const Span& span : Union(std::move(shared))) {
    ranges_.push_back({span.begin, span.end, granules_});
    granules_ += (span.end - span.begin) / granule_bytes_;
  }
}

bool SharedDram::Touches(int64_t begin, int64_t end) const {
  const auto after = std::ranges::lower_bound(ranges_, end, {}, &Range::begin);
  return after != ranges_.begin() && std::prev(after)->end > begin;
}

std::span<const RowRun> SharedDram::Find(const DramTile& tile) {
  found_.clear();
  if (tile.rows == 0 || ranges_.empty()) return found_;
  auto range = std::ranges::upper_bound(ranges_, tile.address, {}, &Range::begin);
  if (range != ranges_.begin()) --range;
  for (int64_t y = 0; y < tile.rows && range != ranges_.end(); ++y) {
    const int64_t begin = tile.address + y * tile.stride_bytes, end = begin + tile.row_bytes;
    while (range != ranges_.end() && range->end <= begin) ++range;
    for (auto r = range; r != ranges_.end() && r->begin < end; ++r) {
      const int64_t from = std::max(begin, r->begin), to = std::min(end, r->end);
      found_.push_back({static_cast<int32_t>(r->first + (from - r->begin) / granule_bytes_),
                        static_cast<int32_t>(r->first + (to - 1 - r->begin) / granule_bytes_ + 1)});
    }
  }
  return found_;
}

DramTile SharedDram::BytesOf(const RowRun& run) const {
  const Range& range = *--std::ranges::upper_bound(ranges_, int64_t{run.begin}, {}, &Range::first);
  return {range.begin + (run.begin - range.first) * granule_bytes_,
          (run.end - run.begin) * granule_bytes_, 0, 1};
}

}  // namespace vta::isa
