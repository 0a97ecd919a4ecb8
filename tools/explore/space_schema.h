// The JSON Schema of config files, and of spaces of them.
#pragma once

#include "isa/support/json.h"

namespace vta::tools {

/// Draft 2020-12, made of the tables of parameters and resources. What goes together, what is open
/// to expressions and which values are hardware it leaves to Space::Parse and Space::ConfigOf.
Json SpaceSchema();

}  // namespace vta::tools
