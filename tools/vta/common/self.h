// This program once more, with other words.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace vta::tools {

struct Taken {
  double wall_s = 0, cpu_s = 0;
};

/// Runs `vta WORDS...` in a process of its own, which ends with this one, and waits for it. `out`:
/// the file that what it prints goes to. `on_wait`: called many times a second; what it throws ends
/// the process. Errors: throws Error where it cannot be started, and with its messages where it
/// ends with another status than 0.
Taken RunSelf(const std::vector<std::string>& words, const std::string& out = "/dev/null",
              const std::function<void()>& on_wait = {});

/// The words that start the tool, where this program is none: another interpreter of its module's.
void BeStartedBy(std::vector<std::string> words);
/// Those words, with which the tool is to be started by path.
std::vector<std::string> ToolWords();

}  // namespace vta::tools
