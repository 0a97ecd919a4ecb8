#include "tools/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "isa/support/json.h"
#include "tools/report/table.h"

namespace vta::tools {
namespace {

constexpr char kOnVta[] = "vta";

double Milliseconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count()) / 1e6;
}

template <typename Array>
int64_t Sum(const Array& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0});
}

bool OnVta(const LayerReport& layer) { return layer.where == kOnVta; }
bool OnHost(const LayerReport& layer) { return !OnVta(layer); }
bool Anywhere(const LayerReport&) { return true; }

LayerReport Total(const RunReport& report, const std::string& name,
                  bool (*counts)(const LayerReport&)) {
  LayerReport total;
  total.name = name;
  for (const LayerReport& layer : report.layers) {
    if (!counts(layer)) continue;
    total.facts.macs += layer.facts.macs;
    total.wall_ms += layer.wall_ms;
    total.dram_bytes += layer.dram_bytes;
    total.host_bytes += layer.host_bytes;
    total.instructions += layer.instructions;
    total.uops += layer.uops;
    total.macs_executed += layer.macs_executed;
    if (layer.cycles) total.cycles = total.cycles.value_or(0) + *layer.cycles;
  }
  return total;
}

// How much of the multiplications that the accelerator did were the layer's own, in percent.
double Useful(const LayerReport& layer) {
  return 100.0 * static_cast<double>(layer.facts.macs) / static_cast<double>(layer.macs_executed);
}

std::string UsefulText(const LayerReport& layer) {
  return layer.macs_executed > 0 ? fmt::format("{:.1f}", Useful(layer)) : "";
}

// A name as a table can hold it: what could move a terminal's cursor shows as '?', the middle of a
// long one is left out.
std::string Shown(std::string name) {
  constexpr size_t kMost = 40, kKept = 18;
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = '?';
  if (name.size() <= kMost) return name;
  const auto inside = [&](size_t at) { return (name[at] & 0xC0) == 0x80; };  // of a UTF-8 sequence
  size_t head = kKept, tail = name.size() - kKept;
  while (head > 0 && inside(head)) --head;
  while (tail < name.size() && inside(tail)) ++tail;
  return name.substr(0, head) + "..." + name.substr(tail);
}

// The share of peak, in percent.
double Utilisation(const RunReport& report, const LayerReport& layer) {
  return 100.0 * static_cast<double>(layer.facts.macs) /
         (static_cast<double>(*layer.cycles) * static_cast<double>(report.macs_per_cycle));
}

std::vector<std::string> Row(const RunReport& report, const LayerReport& layer, bool timed) {
  const bool any = layer.instructions > 0;
  std::vector<std::string> row = {Shown(layer.name),
                                  layer.facts.op,
                                  layer.facts.shape,
                                  WithCommas(layer.facts.macs),
                                  UsefulText(layer),
                                  WithCommas(layer.dram_bytes + layer.host_bytes),
                                  any ? WithCommas(layer.instructions) : "",
                                  any ? WithCommas(layer.uops) : "",
                                  layer.where,
                                  fmt::format("{:.3f}", layer.wall_ms)};
  if (timed) {
    row.push_back(layer.cycles ? WithCommas(*layer.cycles) : "");
    row.push_back(layer.cycles && layer.facts.macs > 0
                      ? fmt::format("{:.1f}", Utilisation(report, layer))
                      : "");
  }
  return row;
}

Json LayerJson(const LayerReport& layer) {
  Json json = Json()
                  .Set("name", layer.name)
                  .Set("op", layer.facts.op)
                  .Set("shape", layer.facts.shape)
                  .Set("where", layer.where)
                  .Set("macs", layer.facts.macs)
                  .Set("macs_executed", layer.macs_executed)
                  .Set("dram_bytes", layer.dram_bytes)
                  .Set("host_bytes", layer.host_bytes)
                  .Set("instructions", layer.instructions)
                  .Set("uops", layer.uops)
                  .Set("wall_ms", layer.wall_ms);
  if (layer.cycles) json.Set("cycles", *layer.cycles);
  return json;
}

}  // namespace

RunReport MakeReport(const isa::Package& package, const runtime::RunProfile& profile,
                     const std::string& engine) {
  RunReport report{package.model, package.config.name, engine, isa::ArchHash(package.config)};
  report.clock_mhz = package.config.uarch.clock_mhz;
  report.macs_per_cycle = package.config.macs_per_cycle();
  report.wall_ms = Milliseconds(profile.wall);
  report.copy_ms = Milliseconds(profile.copy_in + profile.copy_out);
  for (size_t i = 0; i < package.steps.size(); ++i) {
    const isa::PackageStep& step = package.steps[i];
    const runtime::StepProfile& measured = profile.steps.at(i);
    const isa::Counters& counters = measured.counters;
    LayerReport layer{step.name, step.facts};
    layer.where = step.kind == isa::PackageStep::Kind::kHost ? "host" : kOnVta;
    layer.wall_ms = Milliseconds(measured.wall);
    layer.dram_bytes = Sum(counters.bytes);
    layer.host_bytes = measured.host_bytes_copied;
    layer.instructions = Sum(counters.instructions);
    layer.uops = counters.gemm_uops + counters.alu_uops;
    layer.macs_executed = counters.macs;
    layer.cycles = counters.cycles;
    report.layers.push_back(std::move(layer));
  }
  return report;
}

std::string ReportTable(const RunReport& report) {
  const LayerReport total = Total(report, "total", Anywhere);
  const LayerReport vta = Total(report, "on vta", OnVta);
  const int64_t on_vta = std::count_if(report.layers.begin(), report.layers.end(), OnVta);
  const auto layers = static_cast<int64_t>(report.layers.size());
  const bool timed = total.cycles.has_value();
  std::vector<std::vector<std::string>> rows = {
      {"layer", "op", "shape", "MACs", "useful %", "bytes", "insns", "uops", "where", "ms"}};
  std::vector<bool> right = {false, false, false, true, true, true, true, true, false, true};
  if (timed) {
    rows[0].insert(rows[0].end(), {"cycles", "peak %"});
    right.insert(right.end(), {true, true});
  }
  for (const LayerReport& layer : report.layers) rows.push_back(Row(report, layer, timed));
  if (on_vta > 0 && on_vta < layers)
    for (const LayerReport& part : {vta, Total(report, "on host", OnHost)})
      rows.push_back(Row(report, part, timed));
  rows.push_back(Row(report, total, timed));
  std::string text = FormatTable(rows, right);
  if (vta.macs_executed > 0)
    text += fmt::format(
        "vta: {} of {} layers, {:.1f} % of the MACs; simulated at {:.2f} GMAC/s, padding "
        "included\n",
        on_vta, layers, 100.0 * vta.facts.macs / std::max<int64_t>(1, total.facts.macs),
        vta.macs_executed / (1e6 * vta.wall_ms));
  if (timed) {
    const double ms = static_cast<double>(*total.cycles) / (1000.0 * report.clock_mhz);
    text += fmt::format("{} cycles on the accelerator: {:.3f} ms, {:.1f} inferences/s at {} MHz\n",
                        WithCommas(*total.cycles), ms, 1000 / ms, report.clock_mhz);
  }
  return text;
}

std::string ReportJson(const RunReport& report) {
  Json::Array layers;
  for (const LayerReport& layer : report.layers) layers.push_back(LayerJson(layer));
  return Json()
             .Set("model", report.model)
             .Set("config", report.config)
             .Set("arch_hash", Hex(report.arch_hash, 16))
             .Set("engine", report.engine)
             .Set("clock_mhz", report.clock_mhz)
             .Set("macs_per_cycle", report.macs_per_cycle)
             .Set("wall_ms", report.wall_ms)
             .Set("copy_ms", report.copy_ms)
             .Set("layers", std::move(layers))
             .Set("vta", LayerJson(Total(report, "on vta", OnVta)))
             .Set("host", LayerJson(Total(report, "on host", OnHost)))
             .Set("total", LayerJson(Total(report, "total", Anywhere)))
             .Dump() +
         "\n";
}

}  // namespace vta::tools
