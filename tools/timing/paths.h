// The longest path from each register to each register.
#pragma once

#include <string>
#include <vector>

#include "tools/timing/graph.h"

namespace vta::tools {

/// Units: nanoseconds; ns = logic_ns + routing_ns. Logic has the clock-to-out and the setup in it.
struct TimingPath {
  int start = 0, end = 0;  // registers
  double ns = 0, logic_ns = 0, routing_ns = 0;
  int levels = 0;
  std::vector<Net> nets;  // on the way, in order
};

/// The longest path of each pair of registers that has one, longest first; `detailed` of them with
/// all but the three first members.
std::vector<TimingPath> LongestPaths(const TimingGraph& graph, size_t detailed);

}  // namespace vta::tools
