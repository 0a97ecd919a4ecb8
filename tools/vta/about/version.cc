// vta version
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tools/vta/commands.h"

namespace vta::tools {

std::function<int()> AddVersionCommand(CLI::App& app) {
  return [&app] {
    std::printf("%s\n", app.get_parent()->version().c_str());
    return 0;
  };
}

}  // namespace vta::tools
