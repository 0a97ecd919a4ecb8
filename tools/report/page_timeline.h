// A timeline as the page's script reads it: bytes in base64, launch by launch.
#pragma once

#include "isa/layout.h"
#include "isa/support/json.h"
#include "sim/trace/timeline.h"
#include "tools/report/report.h"

namespace vta::tools {

/// Why a unit's cycle went by, as pages name it: isa::Cause, and what an engine without causes says
/// of a wait for the bus.
inline constexpr int kMemoryKind = isa::kCauses;
inline constexpr int kKinds = isa::kCauses + 1;

/// What the last run in `timeline` took besides its launches, from the first one's begin to the
/// last one's end; nothing where the timeline does not hold a whole run.
std::optional<int64_t> CyclesBetweenLaunches(const RunReport& report,
                                             const sim::Timeline& timeline);

/// The launches of the last run in `timeline`: one for each layer on the accelerator.
///
/// An object: "launches" is a list of {layer, begin, end, address}, cycles since the first of them
/// began and the address of the first instruction, and, unless it would be longer than `most_bytes`
/// in all, what tools/report/page/decode.js decodes: "instructions" by module, "flows" of tokens,
/// "why" by unit. "words" are those that instructions' texts are made of.
Json TimelineJson(const RunReport& report, const isa::Layout& layout, const sim::Timeline& timeline,
                  int64_t most_bytes);

}  // namespace vta::tools
