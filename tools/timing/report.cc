#include "tools/timing/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/report/table.h"
#include "tools/shared/document.h"

namespace vta::tools {
namespace {

constexpr size_t kNameLimit = 60;  // of a register in the table

std::string Place(const Register& reg) {
  return reg.instance.empty() ? reg.name : StrCat(reg.instance, ".", reg.name);
}

/// The part of the top that a register lies in.
std::string ModuleOf(const Register& reg) {
  return reg.instance.empty() ? "top" : reg.instance.substr(0, reg.instance.find('.'));
}

double Mhz(double ns) { return 1000 / ns; }

/// Picoseconds are more than the method can say.
double Rounded(double value) { return std::round(value * 1000) / 1000; }

double WorstNs(const TimingReport& report) { return report.paths.front().ns; }

}  // namespace

double TimingReport::FmaxMhz() const { return Mhz(WorstNs(*this)); }

bool TimingReport::Meets() const {
  return Mhz(WorstNs(*this) * (1 + error)) >= static_cast<double>(config.uarch.clock_mhz);
}

std::string TimingText(const TimingReport& report) {
  const double ns = WorstNs(report);
  const Part& part = report.part;
  std::string text = fmt::format("config {}, part {} {} ({})\n\n", report.config.name, part.name,
                                 part.speed, part.board);
  text +=
      fmt::format("estimate      {:.0f} MHz ({:.1f} ns), {:.0f} MHz with the error against it\n",
                  Mhz(ns), ns, Mhz(ns * (1 + report.error)));
  text += fmt::format("config names  {} MHz: {}\n\n", report.config.uarch.clock_mhz,
                      report.Meets() ? "meets" : "does not meet");

  std::vector<std::string> order;
  std::map<std::string, std::vector<const TimingPath*>> modules;
  for (size_t i = 0; i < std::min(report.shown, report.paths.size()); ++i) {
    const std::string module = ModuleOf(report.graph.registers[report.paths[i].end]);
    if (!modules.contains(module)) order.push_back(module);
    modules[module].push_back(&report.paths[i]);
  }
  std::vector<std::vector<std::string>> rows = {
      {"into", "ns", "logic", "routing", "levels", "from", "to"}};
  for (const std::string& module : order)
    for (const TimingPath* path : modules[module]) {
      const std::vector<std::string> ends = Abbreviated(
          {Place(report.graph.registers[path->start]), Place(report.graph.registers[path->end])},
          kNameLimit);
      rows.push_back({module, fmt::format("{:.1f}", path->ns),
                      fmt::format("{:.1f}", path->logic_ns),
                      fmt::format("{:.1f}", path->routing_ns), std::to_string(path->levels),
                      ends[0], ends[1]});
    }
  text += FormatTable(rows, {false, true, true, true, true, false, false});
  text += fmt::format(
      "\nNetlist of Yosys 0.23, not placed: nets have the delay of an average one. Place and route "
      "of ECP5 was up to {:.0f} %\noff this method's estimates. Ports count as registers; clock "
      "skew and resets that act without the clock are left out.\n",
      100 * report.error);
  return text;
}

Json TimingJson(const TimingReport& report) {
  Json json = HeadOf(kHwTimingDocument);
  json.Set("config", report.config.name)
      .Set("part", std::string(report.part.name))
      .Set("clock_mhz", report.config.uarch.clock_mhz)
      .Set("fmax_mhz", Rounded(report.FmaxMhz()))
      .Set("error", Rounded(report.error))
      .Set("meets", report.Meets());
  Json::Array paths;
  for (size_t i = 0; i < std::min(report.shown, report.paths.size()); ++i) {
    const TimingPath& path = report.paths[i];
    Json::Array through;
    for (const Net net : path.nets)
      if (const std::string name = RtlName(report.netlist.names[net]); !name.empty())
        through.push_back(name);
    paths.push_back(Json()
                        .Set("from", Place(report.graph.registers[path.start]))
                        .Set("to", Place(report.graph.registers[path.end]))
                        .Set("ns", Rounded(path.ns))
                        .Set("logic_ns", Rounded(path.logic_ns))
                        .Set("routing_ns", Rounded(path.routing_ns))
                        .Set("levels", path.levels)
                        .Set("through", std::move(through)));
  }
  return json.Set("paths", std::move(paths));
}

}  // namespace vta::tools
