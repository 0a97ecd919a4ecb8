// The delay tables, one file a family.
#pragma once

#include "tools/timing/delays.h"

namespace vta::tools {

/// Zynq-7000, speed grade -1.
const DelayTable& Xc7Delays();
/// Zynq UltraScale+, speed grade -1, VCCINT 0.85 V.
const DelayTable& XcupDelays();
/// ECP5, speed grade 6.
const DelayTable& Ecp5Delays();

}  // namespace vta::tools
