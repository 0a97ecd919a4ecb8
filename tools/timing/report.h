// What vta hw timing prints.
#pragma once

#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/support/json.h"
#include "tools/area/area.h"
#include "tools/timing/paths.h"

namespace vta::tools {

/// `paths` are those of LongestPaths, the first `shown` of them with their details; at least one.
struct TimingReport {
  const isa::Config& config;
  const Part& part;
  const Netlist& netlist;
  const TimingGraph& graph;
  const std::vector<TimingPath>& paths;
  size_t shown;
  double error;  // TimingError

  /// That the longest path allows; the error is not taken off.
  double FmaxMhz() const;
  /// Whether the clock that the config names is reached with the error against it.
  bool Meets() const;
};

/// The paths are rows, grouped by the part of the top in which they end.
std::string TimingText(const TimingReport& report);
Json TimingJson(const TimingReport& report);

}  // namespace vta::tools
