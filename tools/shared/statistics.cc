#include "tools/shared/statistics.h"

#include <algorithm>

#include "isa/support/error.h"

namespace vta::tools {

RunTimes Summarize(std::vector<int64_t> ns) {
  VTA_CHECK(!ns.empty());
  std::ranges::sort(ns);
  const size_t count = ns.size();
  RunTimes times;
  times.runs = static_cast<int64_t>(count);
  times.min = static_cast<double>(ns.front());
  times.median = static_cast<double>(ns[(count - 1) / 2] + ns[count / 2]) / 2;
  times.p90 = static_cast<double>(ns[(9 * count + 9) / 10 - 1]);
  return times;
}

double Speedup(const RunTimes& a, const RunTimes& b) {
  VTA_CHECK(a.median > 0, a.median);
  return b.median / a.median;
}

}  // namespace vta::tools
