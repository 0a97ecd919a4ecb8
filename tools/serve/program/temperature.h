// How warm the machine is.
#pragma once

#include <optional>
#include <string>

namespace vta::tools {

/// The highest that Linux has under `sys` of its thermal zones, its hardware monitors and a Zynq's
/// own sensor, an IIO device; nothing where it has none. Units: degrees Celsius.
std::optional<double> WarmestOf(const std::string& sys = "/sys");

}  // namespace vta::tools
