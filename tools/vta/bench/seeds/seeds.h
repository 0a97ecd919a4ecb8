// The tables of the documents that the project began with, staged again on what is here: what vta
// bench seeds prints. Their own figures stand beside, of other machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "isa/config.h"
#include "tools/vta/common/progress.h"

namespace vta::tools {

struct SeedsOptions {
  std::vector<std::string> networks;  // of vta model; none: those that a table is of
  isa::Config config;                 // of tables on one accelerator variant
  int64_t runs = 20;                  // measured, of each time
  int64_t trials = 32;                // of each search
};

/// Words, a count or a number; nothing where the cell is blank.
using SeedsCell = std::variant<std::monostate, std::string, int64_t, double>;

struct SeedsColumn {
  std::string key, title;
  int digits = 0;  // of a number, behind the point
};

/// A device or a network that a part of the table needs, and why it is not here.
struct SeedsAbsent {
  std::string what, why;
};

/// What one of the documents' forty promises asserts, with the figures that decide it; or why
/// nothing decides it here.
struct SeedsClaim {
  int64_t row = 0;
  std::string text;
  std::optional<bool> holds = std::nullopt;
};

/// What can be held against other machines' and earlier releases' bounds.
struct SeedsRatio {
  std::string name;  // of its table; without commas
  double value = 0;
};

struct SeedsTable {
  std::vector<SeedsColumn> columns;
  std::vector<std::vector<SeedsCell>> rows;  // a cell a column
  std::vector<SeedsAbsent> absent = {};
  std::vector<std::string> notes = {};
  std::vector<SeedsClaim> claims = {};
  std::vector<SeedsRatio> ratios = {};
};

/// The networks that the options name, or else these.
std::vector<std::string> SeedsNetworks(const SeedsOptions& options,
                                       const std::vector<std::string>& otherwise);

/// A claim about a network that is not among those of the table.
SeedsClaim ClaimOfAbsent(int64_t row, const std::string& network);

/// Each makes its table. Errors: as what it compiles and runs.
SeedsTable SeedsHiding(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsMemory(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsLayouts(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsSpaces(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsTasks(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsDepthwise(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsLadder(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsShared(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsFusion(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsHeterogeneous(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsLines(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsTuned(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsAblation(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsPrecisions(const SeedsOptions& options, Progress& progress);
SeedsTable SeedsTimes(const SeedsOptions& options, Progress& progress);

}  // namespace vta::tools
