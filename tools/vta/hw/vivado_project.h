// A Vivado project that builds a bitstream: a config on a board, of the RTL or of the HLS kernels.
#pragma once

#include <string>
#include <vector>

#include "isa/config.h"
#include "tools/vta/hw/board.h"
#include "tools/vta/hw/vivado_settings.h"

namespace vta::tools {

/// What makes a config doubtful on a board, a warning a line: a clock above its estimate, bursts
/// that a port splits, resources that nobody has estimated. `named` is how the user named the
/// config. Errors: throws Error naming config, board, value and rule where it cannot work: a bus
/// that is no width of the memory port, a clock above that of the ports, more than the part offers,
/// and what CheckHls refuses.
std::vector<std::string> CheckFits(const isa::Config& config, const std::string& named,
                                   const Board& board, Source source);

/// Writes the whole project or nothing; a folder that is there must be empty. What a file is for
/// stands in the README.md of bitstreams/vivado/rtl, or hls, which goes with it.
/// Errors: throws Error naming the folder, or the file that cannot be read or written.
void WriteVivadoProject(const isa::Config& config, const Board& board, Source source,
                        const std::string& folder);

}  // namespace vta::tools
