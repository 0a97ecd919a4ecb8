#include "tools/timing/estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "sim/rtl/build.h"
#include "tools/shared/usage.h"
#include "tools/timing/calibration.h"
#include "tools/timing/delays.h"
#include "tools/timing/design.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/hw/pnr_report.h"

namespace vta::tools {
namespace {

constexpr char kFile[] = "/hw/synth/estimates.txt", kFloors[] = "/hw/synth/floors.txt";

template <typename List>
bool Has(const List& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

std::string RowOf(const KeptEstimate& row) {
  return fmt::format("{} {} {:.1f} {} {}\n", row.config, row.part, row.mhz, row.yosys, row.design);
}

void Hash(Hasher& hasher, double ns) { hasher.Number(std::bit_cast<uint64_t>(ns)); }

void Hash(Hasher& hasher, const DelayTable& table) {
  for (const CellDelay& row : table.cells) {
    hasher.Number(static_cast<uint64_t>(row.kind));
    for (const std::string_view text : {row.cells, row.when, row.from, row.to}) hasher.Text(text);
    Hash(hasher, row.ns);
  }
  for (const DirectNet& row : table.direct) {
    for (const std::string_view text : {row.from_cells, row.from, row.to_cells, row.to})
      hasher.Text(text);
    hasher.Number(row.alone);
    Hash(hasher, row.ns);
  }
  const NetDelay& net = table.net;
  for (const double ns : {net.first_ns, net.doubling_ns, net.into_ns, net.from_ns})
    Hash(hasher, ns);
  hasher.Text(net.into_cells).Text(net.from_cells);
}

std::string DesignOf(const isa::Config& config, const Part& part, const std::string& sources) {
  return Hex(DesignHash(config, part, sources), 16);
}

// Floors are of an ECP5-85F, whose speed grades no other part has.
std::optional<double> RoutedMhz(const std::string& config, const Part& part,
                                const std::string& sources) {
  for (const Floor& floor : ParseFloors(ReadTextFile(sources + kFloors), sources + kFloors))
    if (floor.config == config && std::to_string(floor.speed) == part.speed) return floor.mhz;
  return {};
}

}  // namespace

std::vector<KeptEstimate> ParseEstimates(std::string_view text, const std::string& file) {
  const std::vector<std::string> configs = ShippedConfigs(), parts = PartNames();
  std::vector<KeptEstimate> rows;
  for (const auto& [place, words] : KeptRows(text)) {
    KeptEstimate row;
    const auto parse = [&](const std::string& word) {
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), row.mhz);
      return error == std::errc() && stop == word.data() + word.size() && row.mhz > 0;
    };
    if (words.size() != 5 || !parse(words[2]))
      throw Error(file, place, "", "must be CONFIG PART MHZ YOSYS DESIGN");
    row.config = words[0];
    row.part = words[1];
    row.yosys = words[3];
    row.design = words[4];
    if (!Has(configs, row.config)) throw Error(file, place, row.config, "is no shipped config");
    if (!Has(parts, row.part))
      throw Error(file, place, row.part, StrCat("must be one of ", Listed(parts)));
    for (const KeptEstimate& other : rows)
      if (other.config == row.config) throw Error(file, place, row.config, "stands twice");
    rows.push_back(row);
  }
  return rows;
}

std::string WithEstimate(const std::string& text, const KeptEstimate& row) {
  return WithRow(text, RowOf(row), 1);
}

uint64_t DesignHash(const isa::Config& config, const Part& part, const std::string& sources) {
  Hasher hasher = HashDesign(config, "timing.sh", sources);
  Hash(hasher, FindDelays(part.family));
  return hasher.value();
}

bool ClockEstimate::IsExceeded() const {
  const auto clock = static_cast<double>(clock_mhz);
  return clock > with_error_mhz || clock > routed_mhz.value_or(clock);
}

std::optional<ClockEstimate> EstimateOf(const isa::Config& config) {
  const std::string sources = sim::HardwareSources();
  for (const KeptEstimate& row : ParseEstimates(ReadTextFile(sources + kFile), sources + kFile)) {
    const isa::Config shipped = FindConfig(row.config);
    if (!IsSameHardware(shipped, config)) continue;
    const Part& part = FindPart(row.part);
    return ClockEstimate{&part,
                         config.uarch.clock_mhz,
                         row.mhz,
                         row.mhz / (1 + TimingError(CalibrationPoints())),
                         RoutedMhz(row.config, part, sources),
                         row.design == DesignOf(config, part, sources)};
  }
  return {};
}

std::vector<ShippedEstimate> ShippedEstimates() {
  const std::string file = sim::HardwareSources() + kFile;
  std::vector<ShippedEstimate> all;
  for (const KeptEstimate& row : ParseEstimates(ReadTextFile(file), file))
    all.push_back({FindConfig(row.config), &FindPart(row.part), row.mhz});
  return all;
}

std::string ClockNote(const ClockEstimate& estimate) {
  const std::string age = estimate.is_current ? "" : ", of an older RTL",
                    part = StrCat(estimate.part->name, " speed ", estimate.part->speed);
  if (!estimate.IsExceeded())
    return estimate.is_current
               ? ""
               : fmt::format("note: the estimate of {:.0f} MHz for {} is of an older RTL",
                             estimate.with_error_mhz, part);
  std::string text = fmt::format("warning: {} MHz is above the ", estimate.clock_mhz);
  if (static_cast<double>(estimate.clock_mhz) > estimate.with_error_mhz) {
    text += fmt::format("estimate of {:.0f} MHz for {}{}", estimate.with_error_mhz, part, age);
    if (estimate.routed_mhz)
      text += fmt::format("; place and route reached {:.0f} MHz", *estimate.routed_mhz);
    return text;
  }
  return text +
         fmt::format("{:.0f} MHz that place and route reached for {}; the estimate is {:.0f} MHz{}",
                     *estimate.routed_mhz, part, estimate.with_error_mhz, age);
}

Json ClockJson(const ClockEstimate& estimate) {
  Json json;
  json.Set("part", std::string(estimate.part->name))
      .Set("speed", std::string(estimate.part->speed))
      .Set("mhz", estimate.mhz)
      .Set("with_error_mhz", std::round(10 * estimate.with_error_mhz) / 10)
      .Set("is_current", estimate.is_current)
      .Set("is_exceeded", estimate.IsExceeded());
  if (estimate.routed_mhz) json.Set("routed_mhz", *estimate.routed_mhz);
  if (const std::string note = ClockNote(estimate); !note.empty()) json.Set("note", note);
  return json;
}

std::optional<std::string> ShippedNameOf(const isa::Config& config) {
  static const std::vector<isa::Config> shipped = [] {
    std::vector<isa::Config> all;
    for (const std::string& name : ShippedConfigs()) all.push_back(FindConfig(name));
    return all;
  }();
  std::optional<std::string> found;
  for (const isa::Config& one : shipped)
    if (IsSameHardware(one, config) && (!found || one.name == config.name)) found = one.name;
  return found;
}

void KeepEstimate(const isa::Config& config, const Part& part, double mhz,
                  const std::string& yosys) {
  const std::string sources = sim::HardwareSources(), file = sources + kFile;
  const KeptEstimate row{ShippedNameOf(config).value(), std::string(part.name), mhz, yosys,
                         DesignOf(config, part, sources)};
  WriteFileAtomically(file, WithEstimate(ReadTextFile(file), row));
}

}  // namespace vta::tools
