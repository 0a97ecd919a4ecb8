// The name of the package format: what a package begins with.
#pragma once

#include <string_view>

namespace vta::isa {

/// Its last two digits count the formats that do not read each other.
inline constexpr std::string_view kPackageMagic = "VTAPKG02";

}  // namespace vta::isa
