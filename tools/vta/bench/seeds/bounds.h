// Bounds of the ratios that tables of vta bench seeds give: those of the last release, or others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/vta/bench/seeds/seeds.h"

namespace vta::tools {

class SeedsBounds {
 public:
  /// `file`: lines TABLE,RATIO,LEAST,MOST behind a head that says so. `is_release`: its bounds are
  /// of tables as they are without --network and --config. Errors: throws Error naming file, line,
  /// value and rule.
  SeedsBounds(std::string file, bool is_release);

  /// Adds a claim of row 40 for each ratio of a table and each bound of it. `is_usual`: that table
  /// is as it is without --network and --config.
  void Hold(std::string_view name, bool is_usual, SeedsTable* table) const;

 private:
  struct Bound {
    std::string table, ratio;
    double least = 0, most = 0;
  };
  Bound BoundOf(int64_t number, const std::string& line) const;

  const std::string file_;
  const bool is_release_;
  std::vector<Bound> bounds_;
};

}  // namespace vta::tools
