// Counts of work as JSON, in packages and reports.
#pragma once

#include "isa/spec/work.h"
#include "isa/support/json.h"

namespace vta::isa {

/// An object; kinds of which there is none are left out.
Json ToJson(const WorkCounts& work);
/// Errors: as JsonReader.
WorkCounts ReadWork(JsonReader json);

}  // namespace vta::isa
