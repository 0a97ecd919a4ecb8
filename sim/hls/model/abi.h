// What the shared object of a config's kernels has: one machine, which is at power-on when it is
// loaded.
#pragma once

#include <stdint.h>

#include "hw/hls/vta_state.h"

extern "C" {
/// Channels of space and orders are so long; others as the config says. In a turn each kernel is
/// called, or, from this seed on where it is not 0, some that are drawn for a few turns.
typedef void (*VtaHlsPowerOn)(uint32_t channel_depth, uint64_t schedule);
/// Asks the monitor for a launch over `memory`, of `launch->limit` bytes, at an address that a beat
/// of the bus divides.
typedef void (*VtaHlsStart)(const vta_launch* launch, uint8_t* memory);
/// So many turns at most; whether the monitor says that the launch has ended. With `stop` the host
/// wants it to.
typedef int (*VtaHlsRun)(uint32_t turns, int stop);
/// What the monitor says.
typedef const vta_result* (*VtaHlsResult)();
/// Whether any channel holds anything.
typedef int (*VtaHlsLeftovers)();
/// Whether a queue ever held more than the config says.
typedef int (*VtaHlsOverfull)();
}
