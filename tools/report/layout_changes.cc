#include "tools/report/layout_changes.h"

#include <algorithm>

#include "tools/host/host_time.h"

namespace vta::tools {
namespace {

// The ops of steps that only move what others made.
constexpr std::string_view kMoves[] = {"identity", "pack", "unpack"};

}  // namespace

bool IsLayoutChange(const isa::PackageStep& step) {
  return step.kind == isa::PackageStep::Kind::kKernel &&
         std::ranges::find(kMoves, step.facts.op) != std::end(kMoves);
}

LayoutChanges LayoutChangesOf(const isa::Package& package) {
  LayoutChanges changes;
  for (const isa::PackageStep& step : package.steps) {
    if (!IsLayoutChange(step)) continue;
    ++changes.count;
    changes.bytes += HostBytesOf(package, step);
  }
  return changes;
}

}  // namespace vta::tools
