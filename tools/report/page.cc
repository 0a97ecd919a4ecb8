#include "tools/report/page.h"

#include "isa/support/error.h"
#include "tools/report/hosts.h"
#include "tools/report/page_files.h"
#include "tools/report/page_timeline.h"

namespace vta::tools {
namespace {

using KindCycles = std::array<int64_t, kKinds>;

Json ListOf(const KindCycles& cycles) { return Json(Json::Array(cycles.begin(), cycles.end())); }

KindCycles KindsOf(const isa::CauseCycles& causes) {
  KindCycles kinds = {};
  std::copy(causes.begin(), causes.end(), kinds.begin());
  return kinds;
}

// What an engine without causes knows.
KindCycles KindsOf(const isa::ModuleCycles& spent, int64_t all) {
  KindCycles kinds = {};
  kinds[static_cast<size_t>(isa::Cause::kBusy)] = spent.busy;
  kinds[static_cast<size_t>(isa::Cause::kToken)] = spent.wait_token;
  kinds[kMemoryKind] = spent.wait_memory;
  kinds[static_cast<size_t>(isa::Cause::kNothing)] =
      all - spent.busy - spent.wait_token - spent.wait_memory;
  return kinds;
}

Json SpentJson(const isa::Counters& counters) {
  Json::Array units;
  for (int unit = 0; unit < isa::kUnits; ++unit) {
    if (counters.causes)
      units.push_back(ListOf(KindsOf(counters.causes->spent[static_cast<size_t>(unit)])));
    else
      units.push_back(ListOf(KindsOf(unit == isa::kFetchUnit
                                         ? counters.time->fetch
                                         : counters.time->modules[static_cast<size_t>(unit) - 1],
                                     counters.time->cycles)));
  }
  return units;
}

// What a kernel takes on each host, and which of its work bounds it there.
Json HostShares(const RunReport& report, const LayerReport& layer) {
  Json::Array hosts;
  for (size_t i = 0; i < layer.host_ms.size(); ++i) {
    Json json = Json().Set("ms", layer.host_ms[i]);
    if (layer.facts.work)
      json.Set("by_bytes",
               IsBoundByBytes(report.hosts[i].cpu, layer.kernel_bytes, *layer.facts.work));
    hosts.push_back(std::move(json));
  }
  return hosts;
}

Json PageLayer(const RunReport& report, const LayerReport& layer) {
  Json json = Json()
                  .Set("name", Visible(layer.name))
                  .Set("op", Visible(layer.facts.op))
                  .Set("shape", Visible(layer.facts.shape))
                  .Set("where", layer.where)
                  .Set("why", Visible(layer.facts.why))
                  .Set("macs", layer.facts.macs)
                  .Set("macs_executed", layer.counters.macs)
                  .Set("bytes", layer.dram_bytes())
                  .Set("kernel_bytes", layer.kernel_bytes)
                  .Set("instructions", layer.instructions());
  if (!layer.host_ms.empty()) json.Set("host", HostShares(report, layer));
  if (!layer.time()) return json;
  json.Set("cycles", layer.time()->cycles)
      .Set("ms", ClockMilliseconds(report, layer.time()->cycles))
      .Set("peak", PeakShare(report, layer))
      .Set("spent", SpentJson(layer.counters));
  if (layer.energy_mj) json.Set("energy_mj", *layer.energy_mj);
  if (const auto share = BoundShare(layer))
    json.Set("bound", *share).Set("lost_to", Visible(LostTo(layer)));
  if (const auto& causes = layer.counters.causes) {
    Json::Array path;
    for (const isa::CauseCycles& unit : causes->path) path.push_back(ListOf(KindsOf(unit)));
    json.Set("path", std::move(path));
  }
  return json;
}

Json FactsJson(const RunReport& report, const isa::Config& config) {
  Json json;
  json.Set("model", Visible(report.model))
      .Set("config", Visible(report.config))
      .Set("engine", report.engine)
      .Set("arch_hash", Hex(report.arch_hash, 16));
  if (report.timing_hash) json.Set("timing_hash", Hex(*report.timing_hash, 16));
  if (report.package_hash) json.Set("package_hash", Hex(*report.package_hash, 16));
  json.Set("clock_mhz", report.clock_mhz);
  if (report.assumed) json.Set("assumed", TextOf(*report.assumed) + ": outputs mean nothing.");
  if (report.inexact) json.Set("inexact", TextOf(*report.inexact) + ".");
  if (report.estimate) json.Set("clock_note", ClockNote(*report.estimate));
  if (report.between_launches) json.Set("between_launches", *report.between_launches);
  json.Set("launches", report.launches);
  return json.Set("batch", report.batch)
      .Set("macs_per_cycle", report.macs_per_cycle)
      .Set("bus_bytes", config.uarch.bus_bits / 8)
      .Set("memory_bytes", config.memory.bytes_per_cycle);
}

// JSON inside a script element: nothing in it can end that.
std::string Contained(const std::string& json) {
  std::string text;
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

}  // namespace

std::string PageWith(std::string_view page, const std::string& data) {
  constexpr std::string_view kPlace = "@DATA@";
  const size_t place = page.find(kPlace);
  VTA_CHECK(place != std::string_view::npos);
  return StrCat(page.substr(0, place), Contained(data), page.substr(place + kPlace.size()));
}

std::string ReportPage(const RunReport& report, const isa::Layout& layout,
                       const sim::Timeline& timeline, int64_t most_bytes) {
  Json::Array kinds, units, queues, layers;
  for (int c = 0; c < isa::kCauses; ++c)
    kinds.emplace_back(std::string(isa::CauseName(static_cast<isa::Cause>(c))));
  kinds.emplace_back("memory");
  for (int unit = 0; unit < isa::kUnits; ++unit)
    units.emplace_back(std::string(isa::UnitName(unit)));
  for (const isa::QueueSpec& row : isa::kQueueTable)
    queues.push_back(Json()
                         .Set("name", std::string(row.name))
                         .Set("from", isa::UnitOf(row.from))
                         .Set("to", isa::UnitOf(row.to)));
  for (const LayerReport& layer : report.layers) layers.push_back(PageLayer(report, layer));
  Json json = Json()
                  .Set("facts", FactsJson(report, layout.config()))
                  .Set("kinds", std::move(kinds))
                  .Set("units", std::move(units))
                  .Set("queues", std::move(queues))
                  .Set("layers", std::move(layers))
                  .Set("total", PageLayer(report, Total(report, "total", OnVta)));
  if (report.energy) json.Set("energy", EnergyJson(*report.energy));
  if (!report.hosts.empty()) json.Set("hosts", HostedJson(report.hosts));
  const auto used = static_cast<int64_t>(PageWith(kReportPage, json.Dump(-1)).size());
  json.Set("timeline", TimelineJson(report, layout, timeline, most_bytes - used));
  return PageWith(kReportPage, json.Dump(-1));
}

}  // namespace vta::tools
