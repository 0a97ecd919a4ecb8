// Steps of the CPU that take far longer than the machine needs for them.
#pragma once

#include <functional>

#include "runtime/any_session.h"
#include "tools/report/report.h"
#include "tools/vta/common/cpu/bounds.h"

namespace vta::tools {

/// A step is slow that takes more than so many times the least, so long, and such a share of all
/// steps' time.
inline constexpr double kSlowTimes = 10, kSlowLeastNs = 5'000, kSlowShare = 0.01;
/// Warm runs of which the quickest decides, for what else runs only adds to them; fewer where they
/// take so many seconds.
inline constexpr int kWarmRuns = 10;
inline constexpr double kWarmSeconds = 5;

/// One more run, and what it took.
using RunsAgain = std::function<void(runtime::RunProfile* profile)>;
/// The cores that a layer's kernel runs on.
using CoresOf = std::function<int64_t(const LayerReport& layer)>;

/// Marks slow kernels of the CPU in the report of a run; where the run has none that may be one,
/// nothing runs again.
void MarkSlowSteps(const CpuBounds& bounds, const CoresOf& cores, const RunsAgain& run,
                   RunReport* report);

}  // namespace vta::tools
