// Manual pages.
#pragma once

#include <string>

#include "tools/help/command_facts.h"

namespace vta::tools {

/// The manual page of a program, with all its commands, or of one command, in man(7)'s macros.
/// `version` is the program's: "0.1.0".
std::string ManPage(const CommandFacts& command, const std::string& version);

}  // namespace vta::tools
