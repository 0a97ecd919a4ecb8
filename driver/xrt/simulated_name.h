// What the simulated device of driver/xrt_shim calls itself.
#pragma once

#include <string_view>

namespace vta::driver {

inline constexpr std::string_view kSimulatedName = "vta_simulated";

}  // namespace vta::driver
