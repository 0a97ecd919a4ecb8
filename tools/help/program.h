// What a program does around its commands: options that stand anywhere, help, refusals, exit
// status.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "tools/shared/log.h"

namespace CLI {
class App;
}  // namespace CLI

namespace vta::tools {

/// Declares --help, --version, --quiet, --verbose, --log-level and --color, which are the program's
/// own and may stand before and after a command. To be called before its commands are declared.
void AddEverywhere(CLI::App& program, std::function<std::string()> version);

/// Parses a command line and does `run`; prints help, the version, or what is wrong. Messages of
/// the log are written by what `writer` makes, from the parse on. Returns the exit status: 0 done,
/// 1 failed, 2 wrong usage.
int RunProgram(CLI::App& program, int argc, const char* const* argv,
               const std::function<LogWriter(const LogOptions&)>& writer,
               const std::function<int()>& run);

/// The command that some words name, the program for none.
/// Errors: throws UsageError naming the word that is none.
const CLI::App& FindCommand(const CLI::App& program, std::span<const std::string> words);

/// A command's help on stdout, as wide as the terminal and no wider than kWidestHelp.
void PrintHelp(const CLI::App& program, const CLI::App& command);

}  // namespace vta::tools
