// How the names of spec rows are spelled in generated files.
#pragma once

#include <string>
#include <string_view>

#include "isa/spec/parameters.h"

namespace vta::isa {

/// "dst_factor_out" -> "DstFactorOut".
std::string CamelName(std::string_view name);

/// "illegal ALU operation" -> "ILLEGAL_ALU_OPERATION".
std::string CapsName(std::string_view name);

/// The key of the parameter that switches an extension on.
std::string_view FlagName(int64_t Arch::*flag);

}  // namespace vta::isa
