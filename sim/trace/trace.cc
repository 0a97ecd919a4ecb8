#include "sim/trace/trace.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/hash.h"

namespace vta::sim {

std::string_view SpaceName(Space space) {
  constexpr std::string_view kNames[] = {"uop", "wgt", "inp", "acc", "out", "lut", "dram"};
  return kNames[static_cast<int>(space)];
}

void WriteCollector::Add(Space space, int64_t first, int64_t count) {
  if (count <= 0) return;
  std::vector<Run>& runs = runs_[static_cast<int>(space)];
  if (!runs.empty() && runs.back().first <= first && first <= runs.back().end)
    runs.back().end = std::max(runs.back().end, first + count);
  else
    runs.push_back({first, first + count});
}

void WriteCollector::Finish(Space space, std::span<const uint8_t> bytes, int64_t row_bytes,
                            TraceDetail detail, std::vector<Write>& writes) {
  std::vector<Run> runs = std::move(runs_[static_cast<int>(space)]);
  runs_[static_cast<int>(space)].clear();
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  for (size_t i = 0; i < runs.size();) {
    Run run = runs[i++];
    while (i < runs.size() && runs[i].first <= run.end) run.end = std::max(run.end, runs[i++].end);
    VTA_CHECK(run.end * row_bytes <= static_cast<int64_t>(bytes.size()), run.end);
    const auto values = bytes.subspan(run.first * row_bytes, (run.end - run.first) * row_bytes);
    Write write{space, run.first, run.end - run.first, Hasher().Bytes(values).value(), {}};
    if (detail == TraceDetail::kValues) write.values.assign(values.begin(), values.end());
    writes.push_back(std::move(write));
  }
}

}  // namespace vta::sim
