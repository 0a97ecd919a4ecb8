// The period of a config's clock in SystemC's time.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>

#include "sim/cycle/systemc/refuse.h"

namespace vta::sim {

/// `given`: instead of the config's, unless it is 0. Errors: as Refuse, where SystemC's resolution
/// is too coarse for it.
inline sc_core::sc_time ClockPeriod(int64_t clock_mhz, const sc_core::sc_time& given) {
  if (given != sc_core::SC_ZERO_TIME) return given;
  const sc_core::sc_time period(1e3 / static_cast<double>(clock_mhz), sc_core::SC_NS);
  if (period == sc_core::SC_ZERO_TIME)
    Refuse("clock_mhz = " + std::to_string(clock_mhz) +
           ": a period is none of SystemC's units of time: " +
           sc_core::sc_get_time_resolution().to_string());
  return period;
}

}  // namespace vta::sim
