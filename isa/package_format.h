// The name of the package format: what a package begins with.
#pragma once

#include <string_view>

namespace vta::isa {

/// Its last two digits are the format that is written.
inline constexpr std::string_view kPackageMagic = "VTAPKG04";
/// The oldest format that is read: in 02 no package has kernels of a GPU beside other steps.
inline constexpr std::string_view kOldestFormat = "02";

}  // namespace vta::isa
