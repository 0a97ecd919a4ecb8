// What place and route says of a design: its clock, its cells, its log; and the clocks that it
// reached before.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/json.h"
#include "tools/vta/hw/sdf.h"

namespace vta::tools {

/// A kind of cell: how many the design takes, and the part has.
struct CellUse {
  std::string type;
  int64_t used = 0, available = 0;
};

struct PnrReport {
  double fmax_mhz = 0;  // of the slowest clock
  std::vector<CellUse> cells;
};

/// From nextpnr's --report.
/// Errors: throws Error naming the place of what is missing or no number.
PnrReport ParsePnrReport(const Json& json, const std::string& file);

/// From nextpnr's log: the cells that the part has too few of.
std::vector<CellUse> TooMany(std::string_view log);
/// What a log says of a failure: its last line that begins with ERROR, or its last line.
std::string LastError(std::string_view log);
/// Where a run is, from its log: "packs", "places", "routes (23513 arcs left)"; "starts" before
/// that.
std::string StageOf(std::string_view log);

/// The clock that a config reached: the median of so many seeds at a speed grade, by these tools.
struct Floor {
  std::string config;
  double mhz = 0;
  int64_t speed = 0, seeds = 0;
  std::string yosys, nextpnr;
};
/// From rows "CONFIG MHZ SPEED SEEDS YOSYS NEXTPNR"; '#' begins a comment.
/// Errors: throws Error naming the line that is no such row, or a config's second.
std::vector<Floor> ParseFloors(std::string_view text, const std::string& file);

/// One seed.
struct PnrRun {
  int64_t seed = 0;
  PnrReport report;
  std::vector<RoutedPath> paths;  // sorted
};
/// The fastest; of equals the first.
const PnrRun& BestOf(const std::vector<PnrRun>& runs);
double MedianMhz(const std::vector<PnrRun>& runs);

/// Each seed's clock, their least, median and most; cells; worst pairs of registers of the best.
std::string PnrTable(const std::vector<PnrRun>& runs);

/// How the median stands to the config's floor; nothing where there is none.
struct FloorVerdict {
  std::string text;
  bool is_below = false;
};
FloorVerdict AgainstFloor(const std::vector<Floor>& floors, const std::string& config,
                          int64_t speed, const std::vector<PnrRun>& runs);

}  // namespace vta::tools
