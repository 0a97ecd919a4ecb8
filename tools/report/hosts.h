// What a run would take with the CPU of a board beside the accelerator, which is a model.
#pragma once

#include <string>

#include "isa/support/json.h"
#include "tools/report/report.h"

namespace vta::tools {

/// The hosts of the package's config, as HostedRunsOf, and the time of each layer of the CPU.
void AddHosts(const isa::Package& package, RunReport& report);

/// A line for each host under a title; or nothing.
std::string HostsText(const RunReport& report);
/// By the host, of a layer that has times.
Json HostMsJson(const RunReport& report, const LayerReport& layer);

}  // namespace vta::tools
