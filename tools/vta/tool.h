// The vta tool: parses the command line, runs one command, turns errors into one message and an
// exit status: 0 done, 1 failed, 2 wrong usage.
#pragma once

#include <functional>
#include <string>

#include "tools/shared/log.h"

namespace vta::tools {

/// Of the program that was built from `commit`, whose messages are written by what `writer` makes.
int RunTool(int argc, const char* const* argv, const std::string& commit,
            const std::function<LogWriter(const LogOptions&)>& writer);

}  // namespace vta::tools
