#include "tools/vta/hw/pnr_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/report/table.h"
#include "tools/timing/design.h"

namespace vta::tools {
namespace {

// The names that a reader knows, of nextpnr's.
struct CellName {
  std::string_view type, name;
};
constexpr CellName kCells[] = {{"TRELLIS_COMB", "LUT4, carry and LUT RAM"},
                               {"TRELLIS_FF", "flip-flop"},
                               {"DP16KD", "DP16KD (block RAM of 18 kbit)"},
                               {"MULT18X18D", "MULT18X18D"}};
constexpr size_t kPairs = 15;  // of registers that the table shows

double Number(const Json& json, const std::string& file, const std::string& place) {
  if (const double* value = json.as_double()) return *value;
  if (const int64_t* value = json.as_int()) return static_cast<double>(*value);
  throw Error(file, place, "", "must be a number");
}

const Json::Object& Member(const Json& json, std::string_view key, const std::string& file) {
  const Json* member = json.Find(key);
  if (!member || !member->as_object()) throw Error(file, std::string(key), "", "must be an object");
  return *member->as_object();
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

template <typename T>
bool Parse(const std::string& word, T& value) {
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && stop == word.data() + word.size();
}

std::string_view CellNameOf(const std::string& type) {
  for (const CellName& cell : kCells)
    if (cell.type == type) return cell.name;
  return type;
}

std::string CellTable(const std::vector<CellUse>& cells) {
  std::vector<std::vector<std::string>> rows{{"cell", "used", "of", "%"}};
  for (const CellName& name : kCells)
    for (const CellUse& cell : cells)
      if (cell.type == name.type)
        rows.push_back({std::string(name.name), WithCommas(cell.used), WithCommas(cell.available),
                        fmt::format("{:.0f}", 100.0 * static_cast<double>(cell.used) /
                                                  static_cast<double>(cell.available))});
  return FormatTable(rows, {false, true, true, true});
}

std::string PairTable(const std::vector<RoutedPath>& paths) {
  std::vector<std::vector<std::string>> rows{
      {"ns", "logic", "wires", "levels", "ends", "from register", "to register"}};
  for (const RegisterPair& pair : ByRegister(paths)) {
    if (rows.size() > kPairs) break;
    const auto ns = [](double value) { return fmt::format("{:.2f}", value); };
    rows.push_back({ns(pair.worst.total_ns()), ns(pair.worst.logic_ns), ns(pair.worst.routing_ns),
                    fmt::format("{}", pair.worst.levels), fmt::format("{}", pair.ends), pair.from,
                    pair.to});
  }
  return FormatTable(rows, {true, true, true, true, true, false, false});
}

}  // namespace

PnrReport ParsePnrReport(const Json& json, const std::string& file) {
  PnrReport report;
  for (const auto& [clock, value] : Member(json, "fmax", file)) {
    const Json* achieved = value.Find("achieved");
    const std::string place = StrCat("fmax.", clock, ".achieved");
    const double mhz = Number(achieved ? *achieved : Json(), file, place);
    if (!(mhz > 0)) throw Error(file, place, "", "must be more than 0");
    report.fmax_mhz = report.fmax_mhz == 0 ? mhz : std::min(report.fmax_mhz, mhz);
  }
  if (report.fmax_mhz == 0) throw Error(file, "fmax", "", "names no clock");
  for (const auto& [type, value] : Member(json, "utilization", file)) {
    const auto count = [&](std::string_view key) {
      const Json* number = value.Find(key);
      return static_cast<int64_t>(
          Number(number ? *number : Json(), file, StrCat("utilization.", type, ".", key)));
    };
    report.cells.push_back({type, count("used"), count("available")});
  }
  return report;
}

// "Info: \t              DP16KD:      15/    208     7%"
std::vector<CellUse> TooMany(std::string_view log) {
  std::vector<CellUse> cells;
  for (const std::string& line : Lines(log)) {
    std::istringstream words(line);
    std::string info, type, used, available;
    words >> info >> type >> used >> available;
    if (info != "Info:" || !type.ends_with(":") || !used.ends_with("/")) continue;
    CellUse cell{type.substr(0, type.size() - 1)};
    used.pop_back();
    if (Parse(used, cell.used) && Parse(available, cell.available) && cell.used > cell.available)
      cells.push_back(cell);
  }
  for (CellUse& cell : cells) cell.type = CellNameOf(cell.type);
  return cells;
}

std::string LastError(std::string_view log) {
  std::string last, error;
  for (const std::string& line : Lines(log)) {
    if (line.starts_with("ERROR")) error = line;
    if (!line.empty()) last = line;
  }
  return error.empty() ? last : error;
}

std::string StageOf(std::string_view log) {
  const size_t routing = log.find("Info: Routing..");
  if (routing == std::string_view::npos) {
    if (log.find("Info: Creating initial") != std::string_view::npos) return "places";
    return log.find("Info: Packing") != std::string_view::npos ? "packs" : "starts";
  }
  // Rows "Info: ITERATION | REROUTED | DELTA | ARCS LEFT | TIME |".
  std::string left;
  for (const std::string& line : Lines(log.substr(routing))) {
    std::istringstream row(line);
    std::string cell;
    int64_t arcs = 0;
    for (int i = 0; i < 4; ++i) std::getline(row, cell, '|');
    const size_t digits = cell.find_first_not_of(' ');
    if (row && !row.eof() && digits != std::string::npos && Parse(cell.substr(digits), arcs))
      left = fmt::format(" ({} arcs left)", arcs);
  }
  return "routes" + left;
}

std::vector<Floor> ParseFloors(std::string_view text, const std::string& file) {
  std::vector<Floor> floors;
  for (const auto& [place, row] : KeptRows(text)) {
    Floor floor;
    if (row.size() != 6 || !Parse(row[1], floor.mhz) || !Parse(row[2], floor.speed) ||
        !Parse(row[3], floor.seeds) || !(floor.mhz > 0) || floor.seeds < 1)
      throw Error(file, place, "", "must be CONFIG MHZ SPEED SEEDS YOSYS NEXTPNR");
    floor.config = row[0];
    floor.yosys = row[4];
    floor.nextpnr = row[5];
    for (const Floor& other : floors)
      if (other.config == floor.config) throw Error(file, place, floor.config, "stands twice");
    floors.push_back(floor);
  }
  return floors;
}

const PnrRun& BestOf(const std::vector<PnrRun>& runs) {
  return *std::ranges::max_element(runs, {}, [](const PnrRun& run) { return run.report.fmax_mhz; });
}

double MedianMhz(const std::vector<PnrRun>& runs) {
  std::vector<double> mhz;
  for (const PnrRun& run : runs) mhz.push_back(run.report.fmax_mhz);
  std::ranges::sort(mhz);
  return (mhz[(mhz.size() - 1) / 2] + mhz[mhz.size() / 2]) / 2;
}

std::string PnrTable(const std::vector<PnrRun>& runs) {
  std::string text;
  double least = runs.front().report.fmax_mhz;
  for (const PnrRun& run : runs) {
    text += fmt::format("seed {}: {:.2f} MHz\n", run.seed, run.report.fmax_mhz);
    least = std::min(least, run.report.fmax_mhz);
  }
  const PnrRun& best = BestOf(runs);
  text += fmt::format("Fmax of {}: least {:.2f}, median {:.2f}, most {:.2f} MHz\n\n",
                      Counted(runs.size(), "seed"), least, MedianMhz(runs), best.report.fmax_mhz);
  text += CellTable(best.report.cells);
  text += fmt::format("\nWorst paths of seed {}, by the registers at their ends:\n", best.seed);
  text += PairTable(best.paths);
  return text;
}

FloorVerdict AgainstFloor(const std::vector<Floor>& floors, const std::string& config,
                          int64_t speed, const std::vector<PnrRun>& runs) {
  const auto at = std::ranges::find(floors, config, &Floor::config);
  if (at == floors.end()) return {fmt::format("config {} has no floor", config), false};
  const double median = MedianMhz(runs);
  if (at->speed != speed || at->seeds != static_cast<int64_t>(runs.size()))
    return {fmt::format("not held to the floor of config {}, which is of {} at speed {}", config,
                        Counted(at->seeds, "seed"), at->speed),
            false};
  // Floors are kept in hundredths, as medians are printed.
  const auto hundredths = [](double mhz) { return std::llround(100 * mhz); };
  const bool is_below = hundredths(median) < hundredths(at->mhz);
  return {fmt::format("the median of {:.2f} MHz {} the floor of {:.2f} MHz", median,
                      is_below ? "is below" : "holds", at->mhz),
          is_below};
}

}  // namespace vta::tools
