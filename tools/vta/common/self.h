// This program once more, with other words.
#pragma once

#include <string>
#include <vector>

namespace vta::tools {

struct Taken {
  double wall_s = 0, cpu_s = 0;
};

/// Runs `vta WORDS...` in a process of its own and waits for it; what it prints goes nowhere.
/// Errors: throws Error where it cannot be started, or ends with another status than 0.
Taken RunSelf(const std::vector<std::string>& words);

}  // namespace vta::tools
