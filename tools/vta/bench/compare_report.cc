// The table of two sides, and the same for machines.
#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"
#include "tools/shared/usage.h"
#include "tools/vta/bench/compare.h"

namespace vta::tools {
namespace {

constexpr double kNsPerMs = 1e6;

std::string MillisecondsText(double ns) { return fmt::format("{:.3f}", ns / kNsPerMs); }

std::string Percent(double share) { return share == 0 ? "" : fmt::format("{:.1f}", 100 * share); }

// "21 of 21"
std::string PartOf(int64_t part, int64_t rest) {
  return fmt::format("{} of {}", part, part + rest);
}

Json TimesJson(const RunTimes& times, double share) {
  Json json = Json()
                  .Set("min_ms", times.min / kNsPerMs)
                  .Set("median_ms", times.median / kNsPerMs)
                  .Set("p90_ms", times.p90 / kNsPerMs)
                  .Set("runs", times.runs);
  if (share > 0) json.Set("share_of_peak", share);
  return json;
}

Json Strings(const std::vector<std::string>& texts) {
  return Json::Array(texts.begin(), texts.end());
}

}  // namespace

std::string ComparisonText(const CpuFacts& cpu, const std::vector<CpuPeak>& peaks,
                           const std::vector<ComparedNetwork>& networks) {
  const PeerModel& peer = networks.at(0).peer;
  std::string text = fmt::format("{}: {}, {}; {}\n", cpu.name, Counted(cpu.physical_cores, "core"),
                                 Counted(cpu.logical_cores, "thread"), Listed(cpu.flags));
  for (const CpuPeak& peak : peaks)
    text += fmt::format("{}{} {:.1f} {}", &peak == &peaks[0] ? "one core: " : ", ",
                        peak.instruction, peak.gops, peak.is_int8 ? "GOP/s" : "GFLOP/s");
  text += fmt::format("{}{} {}, {}\n\n", peaks.empty() ? "" : "\n", peer.runtime, peer.version,
                      Listed(peer.providers));
  std::vector<std::vector<std::string>> cells = {
      {"network", "type", "ours min", "median", "p90", "peak %", "bound %", "peer min", "median",
       "p90", "peak %", "ratio", "difference", "peer's int8 nodes", "products"}};
  for (const ComparedNetwork& network : networks) {
    const Comparison& result = network.result;
    const PeerPrecision precision = PrecisionOf(network.peer);
    cells.push_back({network.network, network.type, MillisecondsText(result.ours.min),
                     MillisecondsText(result.ours.median), MillisecondsText(result.ours.p90),
                     Percent(OurShareOfPeak(network)), PercentOfBound(network.steps),
                     MillisecondsText(result.peer.min), MillisecondsText(result.peer.median),
                     MillisecondsText(result.peer.p90), Percent(PeerShareOfPeak(network)),
                     fmt::format("{:.2f}", result.ratio), fmt::format("{:.2g}", result.difference),
                     PartOf(precision.in_int8, precision.in_float),
                     PartOf(precision.products_in_int8, precision.products_in_float)});
  }
  std::vector<bool> right(cells[0].size(), true);
  right[0] = right[1] = false;
  std::vector<std::pair<std::string, NetworkSteps>> steps;
  for (const ComparedNetwork& network : networks)
    steps.emplace_back(StrCat(network.network, " ", network.type), network.steps);
  return text + FormatTable(cells, right) +
         fmt::format(
             "times in ms; our code is for {}; ratio: the peer's median by ours; difference: of "
             "the "
             "outputs, root mean square, as a share of the peer's\n",
             networks[0].cpu) +
         DearestText(steps);
}

Json ComparisonJson(const CpuFacts& cpu, const std::vector<CpuPeak>& peaks,
                    const std::vector<ComparedNetwork>& networks) {
  Json::Array peak_list, rows;
  for (const CpuPeak& peak : peaks)
    peak_list.push_back(Json()
                            .Set("instruction", peak.instruction)
                            .Set("type", peak.is_int8 ? "int8" : "float")
                            .Set("gops", peak.gops));
  for (const ComparedNetwork& network : networks) {
    const Comparison& result = network.result;
    const PeerPrecision precision = PrecisionOf(network.peer);
    Json nodes = Json(Json::Object());
    for (const auto& [op, count] : network.peer.nodes) nodes.Set(op, count);
    rows.push_back(Json()
                       .Set("network", network.network)
                       .Set("type", network.type)
                       .Set("our_cpu", network.cpu)
                       .Set("macs", network.macs)
                       .Set("ours", TimesJson(result.ours, OurShareOfPeak(network)))
                       .Set("peer", TimesJson(result.peer, PeerShareOfPeak(network)))
                       .Set("ratio", result.ratio)
                       .Set("difference", result.difference)
                       .Set("steps", ToJson(network.steps))
                       .Set("peer_runtime", network.peer.runtime)
                       .Set("peer_version", network.peer.version)
                       .Set("peer_providers", Strings(network.peer.providers))
                       .Set("peer_nodes", std::move(nodes))
                       .Set("peer_int8_nodes", precision.in_int8)
                       .Set("peer_float_nodes", precision.in_float)
                       .Set("peer_int8_products", precision.products_in_int8)
                       .Set("peer_float_products", precision.products_in_float));
  }
  return HeadOf(kBenchCpuDocument)
      .Set("cpu", Json()
                      .Set("name", cpu.name)
                      .Set("flags", Strings(cpu.flags))
                      .Set("physical_cores", cpu.physical_cores)
                      .Set("logical_cores", cpu.logical_cores)
                      .Set("peaks_of_one_core", std::move(peak_list)))
      .Set("networks", std::move(rows));
}

}  // namespace vta::tools
