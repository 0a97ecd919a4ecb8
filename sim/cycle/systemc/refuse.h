// SystemC's way to say what a platform does wrong.
#pragma once

#include <cstdlib>
#include <string>
#include <systemc>

namespace vta::sim {

/// Errors: throws sc_core::sc_report, unless the platform handles errors otherwise.
[[noreturn]] inline void Refuse(const std::string& message) {
  SC_REPORT_ERROR("vta", message.c_str());
  std::abort();  // where a handler does not throw
}

}  // namespace vta::sim
