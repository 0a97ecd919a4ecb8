// How a program ends.
#pragma once

#include <functional>

namespace vta::tools {

/// Does a program's work and writes out what it printed. What the work throws becomes one message
/// of the log. Returns the exit status: what `work` returns, 1 for what failed (also where stdout
/// cannot be written), 2 for a UsageError.
int ExitStatus(const std::function<int()>& work);

}  // namespace vta::tools
