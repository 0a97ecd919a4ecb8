#include "tools/vta/run/slow_steps.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace vta::tools {
namespace {

constexpr double kNsPerMs = 1e6;

double AllNs(const runtime::RunProfile& profile) {
  double all = 0;
  for (const runtime::StepProfile& step : profile.steps)
    all += static_cast<double>(step.wall.count());
  return all;
}

bool IsSlow(double ns, double least_ns, double all_ns) {
  return ns > kSlowTimes * least_ns && ns >= kSlowLeastNs && ns >= kSlowShare * all_ns;
}

}  // namespace

void MarkSlowSteps(const CpuBounds& bounds, const CoresOf& cores, const RunsAgain& run,
                   RunReport* report) {
  const auto least_ns = [&](const LayerReport& layer) {
    return LeastNs(bounds, *layer.facts.work, layer.kernel_bytes, cores(layer));
  };
  double all_ns = 0;
  for (const LayerReport& layer : report->layers) all_ns += layer.wall_ms * kNsPerMs;
  std::vector<LayerReport*> suspects;
  for (LayerReport& layer : report->layers)
    if (OnCpu(layer) && layer.facts.work &&
        IsSlow(layer.wall_ms * kNsPerMs, least_ns(layer), all_ns))
      suspects.push_back(&layer);
  if (suspects.empty()) return;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> ns(suspects.size(), kNever);
  double all = kNever;
  const auto begin = std::chrono::steady_clock::now();
  const auto took_long = [&] {
    return std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(kWarmSeconds);
  };
  for (int i = 0; i < kWarmRuns && !took_long(); ++i) {
    runtime::RunProfile profile;
    run(&profile);
    all = std::min(all, AllNs(profile));
    for (size_t s = 0; s < suspects.size(); ++s)
      ns[s] =
          std::min(ns[s], static_cast<double>(profile.steps.at(suspects[s]->step).wall.count()));
  }
  for (size_t s = 0; s < suspects.size(); ++s)
    if (const double least = least_ns(*suspects[s]); IsSlow(ns[s], least, all))
      suspects[s]->slow = {ns[s] / kNsPerMs, least / kNsPerMs};
}

}  // namespace vta::tools
