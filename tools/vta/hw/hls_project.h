// What a project has of the HLS kernels, in place of the RTL.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "isa/config.h"
#include "tools/vta/hw/board.h"

namespace vta::tools {

/// Errors: throws Error naming config, board, value and rule where the kernels cannot be what the
/// config says.
void CheckHls(const isa::Config& config, const Board& board);

/// Writes hls/ (the kernels, the config's header), rtl/ (the host's registers, what a block design
/// has between kernels) and launches.txt. Returns the files of rtl/, as named below the project.
/// Errors: throws Error naming the file that cannot be read or written.
std::vector<std::string> WriteHls(const isa::Config& config, const std::filesystem::path& folder);

/// What the scripts of bitstreams/vivado/hls are told beyond what all projects are.
std::string HlsSettings(const isa::Config& config, const Board& board);

}  // namespace vta::tools
