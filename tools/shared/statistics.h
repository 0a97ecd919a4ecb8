// What many runs of the same took.
#pragma once

#include <cstdint>
#include <vector>

namespace vta::tools {

/// Units: ns.
struct RunTimes {
  int64_t runs = 0;
  double min = 0, median = 0, p90 = 0;
};

/// The median of an even number is the mean of the two in the middle; p90 is the least time that at
/// least nine of ten runs did not exceed. Errors: aborts without a run.
RunTimes Summarize(std::vector<int64_t> ns);

/// How many times faster `a` is than `b`, by their medians. Errors: aborts where `a` took no time.
double Speedup(const RunTimes& a, const RunTimes& b);

}  // namespace vta::tools
