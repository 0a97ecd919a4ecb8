// The contract as a C header of preprocessor constants, for firmware and drivers on a board.
#pragma once

#include <string>

#include "isa/config.h"

namespace vta::isa {

std::string CHeader(const Config& config);

}  // namespace vta::isa
