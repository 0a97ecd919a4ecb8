// A timeline as the page's script reads it: bytes in base64, launch by launch.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "isa/layout.h"
#include "isa/support/json.h"
#include "sim/trace/timeline.h"
#include "tools/report/report.h"

namespace vta::tools {

/// Why a unit's cycle went by, as pages name it: isa::Cause, and what an engine without causes says
/// of a wait for the bus.
inline constexpr int kMemoryKind = isa::kCauses;
inline constexpr int kKinds = isa::kCauses + 1;

/// When a layer was on the accelerator: what compute was through with last was the one before it.
struct LayerSlice : sim::Slice {
  int64_t layer = 0;  // index into the report's
};
/// Those of a run, by its launches; nothing where there are none.
std::vector<LayerSlice> LayerSlices(const RunReport& report, std::span<const sim::Slice> launches);

/// What the last run in `timeline` took besides its launches, from the first one's begin to the
/// last one's end; nothing where the timeline does not hold a whole run.
std::optional<int64_t> CyclesBetweenLaunches(const RunReport& report,
                                             const sim::Timeline& timeline);

/// The last run in `timeline`, layer by layer.
///
/// An object: "launches" is a list of {layer, begin, end, address}, one for each layer on the
/// accelerator, also where they share a launch; in cycles since the first of them began, and the
/// address of the first instruction, and, unless it would be longer than `most_bytes` in all, what
/// tools/report/page/decode.js decodes: "instructions" by module, "flows" of tokens, "why" by unit.
/// "words" are those that instructions' texts are made of.
Json TimelineJson(const RunReport& report, const isa::Layout& layout, const sim::Timeline& timeline,
                  int64_t most_bytes);

}  // namespace vta::tools
