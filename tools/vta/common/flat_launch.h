// A launch on a flat DRAM image, on any engine.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "driver/device.h"
#include "tools/vta/common/engines.h"

namespace vta::tools {

struct FlatLaunch {
  uint64_t address = 0;  // of the first instruction, an offset into the image
  int64_t count = 0;
  std::chrono::nanoseconds limit = driver::kForever;
};

/// Runs programs whose addresses are offsets into `image` one after the other on a fresh device, up
/// to the first that does not finish, and leaves in `image` what they leave. The device's memory
/// ends with the image (rounded up to its allocation unit), so what lies after it is a bus error.
/// Addresses in the results and in the timeline are offsets too.
/// Errors: throws Error where there is no such engine or the image is too large for it.
std::vector<isa::LaunchResult> RunFlat(const EngineOptions& engine, const isa::Config& config,
                                       std::span<const FlatLaunch> launches,
                                       std::vector<uint8_t>& image);

}  // namespace vta::tools
