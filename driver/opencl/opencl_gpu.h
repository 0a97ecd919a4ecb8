// Devices of OpenCL, through the library that finds their drivers, which is loaded when one is
// opened.
#pragma once

#include <cstdint>
#include <memory>

#include "driver/gpu.h"

namespace vta::driver {

/// The device of that number, counted over all platforms in their order. Code that it has made is
/// kept in the folder, if one is named.
/// Errors: throws Error where there is no library, no platform, or no device of that number.
std::unique_ptr<Gpu> OpenOpenClGpu(int64_t ordinal, const std::string& cache_folder = "");

}  // namespace vta::driver
