// vta hw xclbin and vta hw xrt: what XRT takes for a board's accelerator, and for a board.
#pragma once

#include <functional>
#include <memory>

namespace CLI {
class App;
}  // namespace CLI

namespace vta::tools {

/// Declares the subcommands of vta hw. The one that the command line has sets `chosen`.
void AddXrtCommands(CLI::App& hw, const std::shared_ptr<std::function<int()>>& chosen);

}  // namespace vta::tools
