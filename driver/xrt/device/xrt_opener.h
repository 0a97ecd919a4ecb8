// The way to the device that XRT drives: it calls XRT's library, which takes time to load. A
// board's programs are linked with both; elsewhere they are a library that the first such device
// loads.
#pragma once

#include <string>

#include "driver/device.h"

namespace vta::driver {

inline constexpr char kXrtFile[] = "libvta_xrt_device.so", kXrtSymbol[] = "vta_open_xrt";

/// As OpenXrt; the caller's own. Both sides are built from the same sources.
extern "C" Device* vta_open_xrt(const std::string& where, const isa::Config& config);
using OpenXrtFunction = decltype(vta_open_xrt);

}  // namespace vta::driver
