// The ISA manual in Markdown: every row of the spec, with the bit positions of one config and the
// rules that give them for any other.
#pragma once

#include <string>

#include "isa/config.h"

namespace vta::isa {

std::string Manual(const Config& config);

}  // namespace vta::isa
