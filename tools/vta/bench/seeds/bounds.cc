#include "tools/vta/bench/seeds/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/file.h"

namespace vta::tools {

SeedsBounds::SeedsBounds(std::string file, bool is_release)
    : file_(std::move(file)), is_release_(is_release) {
  constexpr std::string_view kHead = "table,ratio,least,most";
  std::istringstream lines(ReadTextFile(file_));
  std::string line;
  std::getline(lines, line);
  if (line != kHead) throw Error(file_, "line 1", line, StrCat("must be ", kHead));
  for (int64_t number = 2; std::getline(lines, line); ++number)
    bounds_.push_back(BoundOf(number, line));
}

SeedsBounds::Bound SeedsBounds::BoundOf(int64_t number, const std::string& line) const {
  std::vector<std::string> cells;
  std::istringstream rest(line);
  for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
  double numbers[2] = {};
  bool is_good = cells.size() == 4;
  for (size_t i = 0; is_good && i < 2; ++i) {
    const std::string& cell = cells[2 + i];
    const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), numbers[i]);
    is_good = error == std::errc() && stop == cell.data() + cell.size();
  }
  if (!is_good || !(numbers[0] <= numbers[1]))
    throw Error(file_, StrCat("line ", number), line,
                "must be a table, a ratio of it, and the least and the most that it may be");
  return {cells[0], cells[1], numbers[0], numbers[1]};
}

void SeedsBounds::Hold(std::string_view name, bool is_usual, SeedsTable* table) const {
  constexpr int64_t kRow = 40;
  const char* const others = "bounds are of the table without --network and --config";
  for (const SeedsRatio& ratio : table->ratios) {
    const auto bound = std::ranges::find_if(
        bounds_, [&](const Bound& one) { return one.table == name && one.ratio == ratio.name; });
    const std::string measured = fmt::format("{}: {:.3f}", ratio.name, ratio.value);
    if (is_release_ && !is_usual)
      table->claims.push_back({kRow, StrCat(measured, ": ", others)});
    else if (bound == bounds_.end())
      table->claims.push_back(
          {kRow, StrCat(measured, ": ", is_release_ ? "the last release" : file_,
                        " has no bounds of it")});
    else
      table->claims.push_back(
          {kRow, fmt::format("{}, from {} to {}", measured, bound->least, bound->most),
           bound->least <= ratio.value && ratio.value <= bound->most});
  }
  if (is_release_ && !is_usual) return;
  for (const Bound& bound : bounds_)
    if (bound.table == name && !std::ranges::count(table->ratios, bound.ratio, &SeedsRatio::name))
      table->claims.push_back({kRow, StrCat(bound.ratio, ": is not measured here")});
}

}  // namespace vta::tools
