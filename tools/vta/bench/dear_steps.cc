#include "tools/vta/bench/dear_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "isa/support/error.h"
#include "tools/host/host_time.h"
#include "tools/report/table.h"

namespace vta::tools {
namespace {

constexpr double kNsOfMs = 1e6;
constexpr size_t kNameBytes = 40;  // in a table; exporters make names of hundreds

double PerNs(int64_t count, double ms) {
  return ms > 0 ? static_cast<double>(count) / (kNsOfMs * ms) : 0;
}

std::string PercentText(double least_ms, double ms) {
  return ms > 0 ? fmt::format("{:.1f}", 100 * least_ms / ms) : "";
}

Json ToJson(const DearStep& step) {
  return Json()
      .Set("name", step.name)
      .Set("op", step.op)
      .Set("macs", step.macs)
      .Set("bytes", step.bytes)
      .Set("ms", step.ms)
      .Set("least_ms", step.least_ms)
      .Set("gmacs_per_s", PerNs(step.macs, step.ms))
      .Set("gb_per_s", PerNs(step.bytes, step.ms));
}

DearStep ReadDearStep(JsonReader reader) {
  constexpr int64_t kMost = INT64_MAX;
  return {reader.String("name"),         reader.String("op"), reader.Int("macs", 0, kMost),
          reader.Int("bytes", 0, kMost), reader.Double("ms"), reader.Double("least_ms")};
}

}  // namespace

NetworkSteps BesideBounds(const isa::Package& package, const std::vector<int64_t>& ns,
                          const CpuBounds& bounds, int64_t threads) {
  VTA_CHECK(ns.size() == package.steps.size(), ns.size(), " and ", package.steps.size());
  NetworkSteps network;
  std::vector<DearStep> steps;
  for (size_t i = 0; i < ns.size(); ++i) {
    const isa::PackageStep& step = package.steps[i];
    if (step.kind != isa::PackageStep::Kind::kKernel) continue;
    const int64_t bytes = HostBytesOf(package, step);
    const int64_t cores = std::min(threads, package.kernels[step.kernel].tasks);
    const double least_ns =
        LeastNs(bounds, step.facts.work.value_or(isa::WorkCounts{}), bytes, cores);
    steps.push_back({step.name, step.facts.op, step.facts.macs, bytes,
                     static_cast<double>(ns[i]) / kNsOfMs, least_ns / kNsOfMs});
    network.ms += steps.back().ms;
    network.least_ms += steps.back().least_ms;
  }
  std::ranges::stable_sort(steps, std::greater(), &DearStep::ms);
  steps.resize(std::min(steps.size(), NetworkSteps::kDearest));
  network.dearest = std::move(steps);
  return network;
}

std::string PercentOfBound(const NetworkSteps& steps) {
  return PercentText(steps.least_ms, steps.ms);
}

std::string DearestText(const std::vector<std::pair<std::string, NetworkSteps>>& networks) {
  TableRows rows = {{"network", "step", "op", "ms", "of all %", "GMAC/s", "GB/s", "bound %"}};
  for (const auto& [name, network] : networks) {
    std::vector<std::string> names;
    for (const DearStep& step : network.dearest) names.push_back(step.name);
    names = Abbreviated(std::move(names), kNameBytes);
    for (size_t i = 0; i < names.size(); ++i) {
      const DearStep& step = network.dearest[i];
      rows.push_back({name, names[i], step.op, fmt::format("{:.3f}", step.ms),
                      PercentText(step.ms, network.ms),
                      step.macs > 0 ? fmt::format("{:.1f}", PerNs(step.macs, step.ms)) : "",
                      fmt::format("{:.1f}", PerNs(step.bytes, step.ms)),
                      PercentText(step.least_ms, step.ms)});
    }
  }
  if (rows.size() == 1) return "";
  return fmt::format(
             "\nthe dearest steps, each by the quickest of {} warm runs; bound %: what this CPU's "
             "peak and memory need at least, of what it took\n\n",
             NetworkSteps::kRuns) +
         FormatTable(rows, {false, false, false, true, true, true, true, true});
}

Json ToJson(const NetworkSteps& steps) {
  Json::Array dearest;
  for (const DearStep& step : steps.dearest) dearest.push_back(ToJson(step));
  return Json()
      .Set("ms", steps.ms)
      .Set("least_ms", steps.least_ms)
      .Set("share_of_bound", steps.share_of_bound())
      .Set("dearest", std::move(dearest));
}

NetworkSteps ReadNetworkSteps(JsonReader reader) {
  NetworkSteps steps{reader.Double("ms"), reader.Double("least_ms"), {}};
  for (const Json& step : reader.Array("dearest"))
    steps.dearest.push_back(ReadDearStep(JsonReader(step, reader.file(), reader.Place("dearest"))));
  return steps;
}

}  // namespace vta::tools
