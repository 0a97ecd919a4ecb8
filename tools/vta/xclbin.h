// vta hw xclbin: writes the file that XRT loads.
#pragma once

#include <functional>

namespace CLI {
class App;
}  // namespace CLI

namespace vta::tools {

/// Declares the subcommand of vta hw; what it returns runs it.
std::function<int()> AddXclbinCommand(CLI::App& hw);

}  // namespace vta::tools
