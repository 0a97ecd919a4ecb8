// The description of the IP as a kernel, which Vitis and XRT read (UG1393, "RTL Kernel XML File").
#pragma once

#include <string>
#include <string_view>

#include "isa/config.h"

namespace vta::isa {

// What the IP is called among others: vendor, library, name, version.
inline constexpr std::string_view kIpVendor = "vta", kIpLibrary = "accelerator", kIpName = "vta",
                                  kIpVersion = "1.0";

/// kernel.xml: a kernel that its host manages by itself, with the two ports of hw/rtl/vta_ip.v, and
/// an argument for each register that a launch is described by.
std::string KernelXml(const Config& config);

// Its elements, a line each: the ports, and the arguments.
std::string KernelPorts(const Config& config);
std::string KernelArguments();

}  // namespace vta::isa
