// How the simulated device behaves. XRT's interface has no place for that: it comes from the
// environment.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

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

struct ShimVariable {
  std::string_view name, values, meaning;
};
/// What ReadShimSettings looks at.
std::span<const ShimVariable> ShimVariables();

/// Errors: throws Error naming the variable, its value and what it may be.
ShimSettings ReadShimSettings();

}  // namespace vta::driver
