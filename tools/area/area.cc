#include "tools/area/area.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "isa/support/error.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

// Source: the data sheets DS190 (Zynq-7000), DS891 (Zynq UltraScale+), DS987 (Kria K26) and
// FPGA-DS-02012 (ECP5), whose memory blocks are of 18 kbit. The last two boards have speed grade
// -2, for which there is no table of delays: that of -1 errs to the safe side.
constexpr Part kParts[] = {
    {"xc7z020", "xc7", "-1", "PYNQ-Z1", {.lut = 53200, .ff = 106400, .dsp = 220, .bram = 140}},
    {"xczu3eg", "xcup", "-1", "Ultra96", {.lut = 70560, .ff = 141120, .dsp = 360, .bram = 216}},
    {"xczu7ev", "xcup", "-1", "ZCU104", {.lut = 230400, .ff = 460800, .dsp = 1728, .bram = 312}},
    {"xck26", "xcup", "-1", "KV260", {.lut = 117120, .ff = 234240, .dsp = 1248, .bram = 144}},
    {"lfe5u-85f", "ecp5", "6", "any board", {.lut = 83640, .ff = 83640, .dsp = 156, .bram = 104}},
};

// A library cell. Distributed RAM takes the tables it is made of; in an ECP5 those that write it,
// too.
Resources OfCell(std::string_view type) {
  const auto starts = [&](std::string_view text) { return type.starts_with(text); };
  if (starts("LUT") || starts("SRL")) return {.lut = 1};
  if (starts("FD")) return {.ff = 1};
  if (starts("DSP48")) return {.dsp = 1};
  if (starts("RAMB36")) return {.bram = 1};
  if (starts("RAMB18")) return {.bram = 0.5};
  if (starts("RAM32M16") || starts("RAM64M8")) return {.lut = 8};
  if (starts("RAM32M") || starts("RAM64M")) return {.lut = 4};
  if (starts("RAM128X1D")) return {.lut = 4};
  if (starts("RAM32X1D") || starts("RAM64X1D")) return {.lut = 2};
  if (starts("CCU2C")) return {.lut = 2};
  if (starts("TRELLIS_FF")) return {.ff = 1};
  if (starts("TRELLIS_DPR16X4")) return {.lut = 6};
  if (starts("MULT18X18D")) return {.dsp = 1};
  if (starts("DP16KD")) return {.bram = 0.5};
  return {};
}

// "$paramod$1a2b\vta_fifo" and "\vta_core" are the modules vta_fifo and vta_core.
std::string PlainName(std::string_view name) {
  const size_t at = name.find("vta_");
  if (at == std::string_view::npos) return std::string(name);
  const size_t end = name.find_first_of("\\$", at);
  return std::string(name.substr(at, end == std::string_view::npos ? end : end - at));
}

}  // namespace

Resources& Resources::operator+=(const Resources& other) {
  lut += other.lut;
  ff += other.ff;
  dsp += other.dsp;
  bram += other.bram;
  return *this;
}

Resources Resources::operator*(double times) const {
  return {lut * times, ff * times, dsp * times, bram * times};
}

Json CountJson(double count) {
  return count == std::floor(count) ? Json(static_cast<int64_t>(count)) : Json(count);
}

Json ToJson(const Resources& resources) {
  Json json;
  for (const ResourceKind& kind : kResourceKinds)
    json.Set(std::string(kind.key), CountJson(resources.*kind.of));
  return json;
}

Resources ReadResources(JsonReader& reader) {
  Resources resources;
  for (const ResourceKind& kind : kResourceKinds) {
    double& count = resources.*kind.of;
    count = reader.Double(kind.key);
    if (!(count >= 0 && count < 1e9)) throw reader.Fail(kind.key, "must be a count");
  }
  return resources;
}

int64_t ScratchpadBytes(const isa::Config& config) {
  const isa::Arch& arch = config.arch;
  return arch.uop_depth * isa::kUopBits / 8 + arch.inp_depth * config.inp_bytes() +
         arch.wgt_depth * config.wgt_bytes() +
         arch.acc_depth * (config.acc_bytes() + config.out_bytes());
}

std::vector<std::string> PartNames() {
  std::vector<std::string> names;
  for (const Part& part : kParts) names.emplace_back(part.name);
  return names;
}

const Part& FindPart(const std::string& name) {
  for (const Part& part : kParts)
    if (part.name == name) return part;
  throw UsageError("--part", "", name, StrCat("must be one of ", Listed(PartNames())));
}

Json ParseStat(const std::string& text, const std::string& file) {
  constexpr std::string_view kModulesEnd = "\n   },";
  const size_t end = text.find(kModulesEnd);
  if (end == std::string::npos) return Json::Parse(text, file);
  return Json::Parse(text.substr(0, end) + "\n   }\n}\n", file);
}

std::vector<ModuleArea> AreaOf(const Json& stat, const std::string& top) {
  const Json* modules = stat.Find("modules");
  std::map<std::string, ModuleArea> rows;
  bool found = false;
  std::function<Resources(const std::string&, double)> walk = [&](const std::string& name,
                                                                  double instances) {
    Resources sum, own;
    if (const Json* cells = modules->Find(name)->Find("num_cells_by_type"))
      for (const auto& [type, count] : *cells->as_object()) {
        const double number = static_cast<double>(*count.as_int());
        // A plain name is written with a backslash as a module and without one as a cell.
        const std::string module = modules->Find(type) ? type : "\\" + type;
        if (modules->Find(module))
          sum += walk(module, instances * number) * number;
        else
          own += OfCell(type) * number;
      }
    sum += own;
    ModuleArea& row = rows[PlainName(name)];
    row.name = PlainName(name);
    row.instances += static_cast<int64_t>(instances);
    row.resources += sum * instances;
    row.own += own * instances;
    return sum;
  };
  if (modules)
    for (const auto& [name, module] : *modules->as_object())
      if (!found && PlainName(name) == top) {
        found = true;
        walk(name, 1);
      }
  if (!found) throw Error("yosys", "stat", "", StrCat("has no module ", top));
  std::vector<ModuleArea> out;
  for (const auto& [name, row] : rows) out.push_back(row);
  std::ranges::stable_sort(out, [&](const ModuleArea& a, const ModuleArea& b) {
    return a.resources.lut > b.resources.lut;
  });
  std::ranges::stable_partition(out, [&](const ModuleArea& row) { return row.name == top; });
  return out;
}

std::string AreaTable(const isa::Config& config, const Part& part,
                      const std::vector<ModuleArea>& modules) {
  std::string text = fmt::format("config {}, part {} ({})\n\n", config.name, part.name, part.board);
  text += fmt::format("{:<18} {:>5} {:>9} {:>9} {:>6} {:>7}\n", "module", "times", "LUT", "FF",
                      "DSP", "BRAM36");
  for (const ModuleArea& row : modules)
    text +=
        fmt::format("{:<18} {:>5} {:>9.0f} {:>9.0f} {:>6.0f} {:>7.1f}\n", row.name, row.instances,
                    row.resources.lut, row.resources.ff, row.resources.dsp, row.resources.bram);
  const Resources& offers = part.offers;
  const Resources& takes = modules.front().resources;
  text += fmt::format("{:<18} {:>5} {:>9.0f} {:>9.0f} {:>6.0f} {:>7.1f}\n", "the part offers", "",
                      offers.lut, offers.ff, offers.dsp, offers.bram);
  const auto percent = [](double a, double b) { return fmt::format("{:.0f} %", 100 * a / b); };
  text += fmt::format("{:<18} {:>5} {:>9} {:>9} {:>6} {:>7}\n\n", "taken", "",
                      percent(takes.lut, offers.lut), percent(takes.ff, offers.ff),
                      percent(takes.dsp, offers.dsp), percent(takes.bram, offers.bram));
  text +=
      "A row counts what is inside its module. What Yosys 0.23 gets wrong: it knows no timing and "
      "places nothing; it merges\nno logic across modules.";
  if (part.family == "xcup")
    text +=
        " On xcup it keeps the adders and registers behind multipliers out of the DSP blocks, so "
        "LUT "
        "and\nFF are too high, counts carries as CARRY4 and leaves URAM out.";
  text += "\n";
  return text;
}

}  // namespace vta::tools
