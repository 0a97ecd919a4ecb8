// This program once more, with other words.
#pragma once

#include <string>
#include <vector>

namespace vta::tools {

struct Taken {
  double wall_s = 0, cpu_s = 0;
};

/// Runs `vta WORDS...` in a process of its own, which ends with this one, and waits for it. `out`:
/// the file that what it prints goes to. Errors: throws Error where it cannot be started, and with
/// its messages where it ends with another status than 0.
Taken RunSelf(const std::vector<std::string>& words, const std::string& out = "/dev/null");

}  // namespace vta::tools
