// Help on the screen.
#pragma once

#include <cstddef>
#include <string>

#include "tools/help/command_facts.h"

namespace vta::tools {

/// The widest that help gets, and its width where there is no terminal, in columns.
inline constexpr size_t kWidestHelp = 100, kUsualHelp = 80;

/// What a command is for and what it takes, in lines of at most `columns` (40 or more) where its
/// words are shorter. With `color` headings are bold.
std::string HelpText(const CommandFacts& command, size_t columns, bool color);

/// "-c, --config CONFIG", as help and manual pages name an option.
std::string NamesOf(const OptionFacts& option);

/// "vta compile [OPTION...] MODEL".
std::string UsageOf(const CommandFacts& command);

/// Its summary, and in brackets the value without it.
std::string SummaryOf(const OptionFacts& option);

}  // namespace vta::tools
