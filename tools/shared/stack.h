// A stack that is large enough, whatever the shell's limit.
#pragma once

#include <functional>
#include <string>

namespace vta::tools {

/// Does a program's work with 8 MB of stack, however few `ulimit -s` allows, and so do the threads
/// that it makes. Signals go to the thread of the work. Returns what `work` returns, which must not
/// throw; 1 where there is no room for such a stack, with a message of `program` on stderr.
int OnOwnStack(const std::string& program, const std::function<int()>& work);

}  // namespace vta::tools
