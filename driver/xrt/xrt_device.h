// A board that Xilinx's runtime, XRT, drives: the accelerator in an xclbin file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "driver/device.h"

namespace vta::driver {

inline constexpr std::string_view kXrtUsage = "xrt:FILE.xclbin[@INDEX]";
/// `where` is FILE.xclbin[@INDEX], the index of the device among XRT's. While it is open, no other
/// process has the accelerator.
/// Errors: throws Error naming the file where it is no xclbin, or holds another accelerator than
/// the config's; and as RegisterDevice, naming the device, with XRT's own words where XRT fails.
std::unique_ptr<Device> OpenXrt(const std::string& where, const isa::Config& config);

/// Errors: throws Error at `where` where this build is without XRT.
void RequireXrt(const std::string& where);

}  // namespace vta::driver
