// How the simulated device behaves. XRT's interface has no place for that: it comes from the
// environment.
#pragma once

#include <cstdint>

#include "sim/board/board.h"

namespace vta::driver {

/// What goes wrong between XRT and the board.
enum class ShimFault : uint8_t {
  kNone,
  kRefusedXclbin,  // the board takes no xclbin
  kRefusedSync,    // no cache is synchronised, and XRT hears of it
  kLostSyncIn,     // nothing reaches the device
  kLostSyncOut,    // nothing comes back
};

struct ShimSettings {
  sim::BoardEngine engine = sim::BoardEngine::kCycle;
  bool quick = false;  // as sim::ModelOptions
  sim::BoardFault board_fault = sim::BoardFault::kNone;
  ShimFault fault = ShimFault::kNone;
  int64_t fault_after = 0;         // register accesses
  int64_t memory_bytes = 1 << 30;  // that buffers may have
};

/// From VTA_XRT_ENGINE (functional, cycle, rtl), VTA_XRT_QUICK (1), VTA_XRT_FAULT (NAME[@N], from
/// the register access N on) and VTA_XRT_MEMORY_BYTES. Errors: throws Error naming the variable,
/// its value and what it may be.
ShimSettings ReadShimSettings();

}  // namespace vta::driver
