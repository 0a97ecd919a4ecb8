// What the shared object of a config's kernels has: one machine, which is at power-on when it is
// loaded.
#pragma once

#include <stdint.h>

#include "hw/hls/vta_state.h"

extern "C" {
/// Channels of space and orders are so long; others as the config says.
typedef void (*VtaHlsPowerOn)(uint32_t channel_depth);
/// Asks the monitor for a launch over `memory`, of `launch->limit` bytes, at an address that a beat
/// of the bus divides.
typedef void (*VtaHlsStart)(const vta_launch* launch, uint8_t* memory);
/// Calls each kernel so many times at most, in turns; whether the monitor says that the launch has
/// ended. With `stop` the host wants it to.
typedef int (*VtaHlsRun)(uint32_t calls, int stop);
/// A turn with the monitor's wires as a host drives them, where these ask for anything.
typedef void (*VtaHlsTurn)(uint32_t start, uint32_t stop, const vta_launch* launch,
                           uint8_t* memory);
/// What the monitor says.
typedef const vta_result* (*VtaHlsResult)();
/// Whether any channel holds anything.
typedef int (*VtaHlsLeftovers)();
}
