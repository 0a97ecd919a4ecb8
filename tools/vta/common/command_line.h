// What a user typed.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace vta::tools {

/// A command and what it was given, each word as a shell takes it.
std::string CommandLine(const CLI::App& command);

}  // namespace vta::tools
