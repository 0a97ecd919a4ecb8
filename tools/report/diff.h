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
  std::string name, op, shape;
  int64_t cycles = 0;
  std::map<std::string, int64_t> parts;  // "compute busy": what the cycles went into
  bool has_path = false;                 // the parts are those of the critical path
};

struct TimedReport {
  std::string file, model, config, engine, timing_hash;
  std::vector<TimedLayer> layers;  // those that have time
};

/// Of any version of reports so far; keys that it does not know are left alone.
/// Errors: throws Error naming file, place, value and rule where the text is no report, one of a
/// newer version, or one of an engine without time.
TimedReport ParseReport(std::string_view text, const std::string& file);

struct LayerChange {
  std::string name, was;                 // in `after` and in `before`; equal where one has it not
  std::optional<int64_t> before, after;  // cycles; absent from a report without the layer
  std::string moved;                     // the part that changed most, where both tell the same
  int64_t moved_cycles = 0;

  int64_t difference() const { return after.value_or(0) - before.value_or(0); }
};

struct Changes {
  bool by_place = false;  // layers do not meet by their names
  std::vector<LayerChange> layers;
};

/// Layers by name, the n-th of a name with the n-th, in the order of `after`; behind them those
/// that only `before` has. Where not half of the shorter report's layers are in the other one, of
/// equal name, op and shape, names say nothing: then by place, the n-th of an op with the n-th.
Changes ChangesOf(const TimedReport& before, const TimedReport& after);

/// What the reports are of, where they differ first, and a row a layer with their sum.
std::string DiffText(const TimedReport& before, const TimedReport& after);
std::string DiffJson(const TimedReport& before, const TimedReport& after);

}  // namespace vta::tools
