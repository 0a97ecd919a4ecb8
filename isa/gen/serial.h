// The SystemVerilog package of the serial line's protocol: what hw/serial knows about it.
#pragma once

#include <string>

namespace vta::isa {

/// The text of package vta_serial_pkg, of isa/spec/serial.h.
std::string SerialPackage();

}  // namespace vta::isa
