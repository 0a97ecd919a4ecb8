// What the shared object of a config's kernels has: one machine, which is at power-on when it is
// loaded.
#pragma once

#include <stdint.h>

#include "hw/hls/vta_state.h"

/// Of the memory that kernels see, in cycles, bytes and bursts: isa/spec/parameters.h.
struct vta_memory {
  uint64_t read_latency, write_latency, bytes_per_cycle, outstanding;
};

extern "C" {
/// Channels of space and orders are so long; others as the config says. Each kernel is called when
/// its last call has ended, or, from this seed on where it is not 0, sometimes a few calls later.
typedef void (*VtaHlsPowerOn)(uint32_t channel_depth, uint64_t schedule, const vta_memory* memory);
/// Asks the monitor for a launch over `memory`, of `launch->limit` bytes, at an address that a beat
/// of the bus divides.
typedef void (*VtaHlsStart)(const vta_launch* launch, uint8_t* memory);
/// So many calls at most, each of the kernel whose last one ends first; whether the
/// monitor says that the launch has ended. With `stop` the host wants it to.
typedef int (*VtaHlsRun)(uint32_t calls, int stop);
/// A cycle, with the monitor's wires as a host drives them: the calls that begin in it, while these
/// ask for anything.
typedef void (*VtaHlsCycle)(uint32_t start, uint32_t stop, const vta_launch* launch,
                            uint8_t* memory);
/// What the monitor says.
typedef const vta_result* (*VtaHlsResult)();
/// Cycles from its start to its end.
typedef uint64_t (*VtaHlsCycles)();
/// Whether any channel holds anything.
typedef int (*VtaHlsLeftovers)();
/// Whether a queue ever held more than the config says.
typedef int (*VtaHlsOverfull)();
}
