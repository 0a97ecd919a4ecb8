// vta hw package and vta hw bitstream.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace vta::tools {

/// Declares both below `hw`; `choose` is told what to run once one was parsed.
void AddBitstreamCommands(CLI::App& hw,
                          const std::function<void(std::function<int()> run)>& choose);

}  // namespace vta::tools
