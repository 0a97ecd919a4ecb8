// What changed between two reports of runs (ReportJson): cycles by layer, and what moved.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/json.h"

namespace vta::tools {

/// What a report says of a layer's time.
struct TimedLayer {
  std::string name;
  int64_t cycles = 0;
  std::map<std::string, int64_t> parts;  // "compute busy": what the cycles went into
  bool has_path = false;                 // the parts are those of the critical path
};

struct TimedReport {
  std::string file, model, config, engine, timing_hash;
  std::vector<TimedLayer> layers;  // those that have time
};

/// Errors: throws Error naming file, place, value and rule where the text is no report, or one of
/// an engine without time.
TimedReport ParseReport(std::string_view text, const std::string& file);

struct LayerChange {
  std::string name;
  std::optional<int64_t> before, after;  // cycles; absent from a report without the layer
  std::string moved;                     // the part that changed most, where both tell the same
  int64_t moved_cycles = 0;

  int64_t difference() const { return after.value_or(0) - before.value_or(0); }
};

/// Layers by name, the n-th of a name with the n-th, in the order of `after`; behind them those
/// that only `before` has.
std::vector<LayerChange> ChangesOf(const TimedReport& before, const TimedReport& after);

/// What the reports are of, where they differ first, and a row a layer with their sum.
std::string DiffText(const TimedReport& before, const TimedReport& after);
std::string DiffJson(const TimedReport& before, const TimedReport& after);

}  // namespace vta::tools
