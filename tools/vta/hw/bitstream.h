// vta hw package and vta hw bitstream.
#pragma once

#include <functional>
#include <memory>

namespace CLI {
class App;
}

namespace vta::tools {

/// Declares both below `hw`; The one that the command line has sets `chosen`.
void AddBitstreamCommands(CLI::App& hw, const std::shared_ptr<std::function<int()>>& chosen);

}  // namespace vta::tools
