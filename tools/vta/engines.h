// The engines that --engine names: devices that a package can run on.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "driver/device.h"

namespace vta::tools {

/// "functional, ..." for help texts.
std::string EngineNames();

/// A device whose memory has room for one allocation of `memory_bytes`, or is as large as that
/// device's usually is. Errors: throws Error listing the engines where there is none of that name.
std::unique_ptr<driver::Device> OpenEngine(const std::string& name, const isa::Config& config,
                                           std::optional<int64_t> memory_bytes = {});

}  // namespace vta::tools
