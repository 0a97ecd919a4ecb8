// The report of a run as one HTML page that needs no network: what tools/report/page draws from the
// data that is written here.
#pragma once

#include <string>

#include "isa/layout.h"
#include "sim/trace/timeline.h"
#include "tools/report/report.h"

namespace vta::tools {

/// What a page may weigh. Units: bytes.
inline constexpr int64_t kMostPageBytes = 10'000'000;

/// `timeline` may be empty; of several runs it shows the last. Launches whose instructions would
/// make the page larger than `most_bytes` keep their place in it and lose those, from the first one
/// on; the page says so.
std::string ReportPage(const RunReport& report, const isa::Layout& layout,
                       const sim::Timeline& timeline, int64_t most_bytes = kMostPageBytes);

}  // namespace vta::tools
