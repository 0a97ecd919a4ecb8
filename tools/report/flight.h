// Latency and throughput of a run, and the timer's measurements of it.
#pragma once

#include <string>

#include "isa/support/json.h"
#include "tools/report/report.h"

namespace vta::tools {

/// Lines of what the report has of them, or none.
std::string FlightText(const RunReport& report);
/// Sets the keys of what it has of them.
void AddFlight(const RunReport& report, Json& json);

}  // namespace vta::tools
