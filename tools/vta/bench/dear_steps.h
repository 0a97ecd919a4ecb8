// Where a network's time goes on the CPU: its dearest steps, beside the least that this machine
// needs for them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "isa/package.h"
#include "isa/support/json.h"
#include "tools/vta/common/cpu/bounds.h"

namespace vta::tools {

struct DearStep {
  std::string name, op;
  int64_t macs = 0, bytes = 0;  // the latter read and written
  double ms = 0, least_ms = 0;  // the quickest of some warm runs; LeastNs
};

struct NetworkSteps {
  /// Warm runs of which the quickest of each step counts, for what else runs only adds to them.
  static constexpr int64_t kRuns = 10;
  static constexpr size_t kDearest = 3;

  double ms = 0, least_ms = 0;    // of all steps
  std::vector<DearStep> dearest;  // the dearest first

  /// In 0..1; above 1 where a way is known that needs fewer multiplications, as Winograd's.
  double share_of_bound() const { return ms > 0 ? least_ms / ms : 0; }
};

/// `ns`: what each step of the package took, on so many threads with a core each.
NetworkSteps BesideBounds(const isa::Package& package, const std::vector<int64_t>& ns,
                          const CpuBounds& bounds, int64_t threads);

/// "41.2"; "" where no step took any time.
std::string PercentOfBound(const NetworkSteps& steps);
/// The dearest steps of networks, as a table with a line before it that says so; "" of no steps.
std::string DearestText(const std::vector<std::pair<std::string, NetworkSteps>>& networks);
Json ToJson(const NetworkSteps& steps);
/// What ToJson wrote. Errors: as JsonReader.
NetworkSteps ReadNetworkSteps(JsonReader reader);

}  // namespace vta::tools
