// A summary as one HTML page that needs no network.
#pragma once

#include <string>

#include "isa/support/json.h"

namespace vta::tools {

/// Of a summary as docs/schemas/vta-explore.json has it.
std::string ExplorePage(const Json& summary);

}  // namespace vta::tools
