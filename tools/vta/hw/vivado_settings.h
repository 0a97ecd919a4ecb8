// What the scripts of bitstreams/vivado are told of a config and a board.
#pragma once

#include <string>
#include <vector>

#include "isa/config.h"
#include "tools/vta/hw/board.h"

namespace vta::tools {

/// What the accelerator of a project is made of.
enum class Source { kRtl, kHls };

/// settings.tcl: variables that the scripts read. `rtl` are the design's files below the project.
std::string VivadoSettings(const isa::Config& config, const Board& board, Source source,
                           const std::vector<std::string>& rtl);

/// project.json: the same facts for programs: hashes as the registers read, registers' address,
/// interrupt, memory, resources.
std::string ProjectJson(const isa::Config& config, const Board& board, Source source);

}  // namespace vta::tools
