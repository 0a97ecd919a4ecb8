// Completion of command lines by shells.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "tools/help/command_facts.h"

namespace vta::tools {

/// The names of values of a kind that files complete as well: {"CONFIG", {"default", ...}}.
using KnownValues = std::map<std::string, std::vector<std::string>>;

/// The shells that Completion knows: bash, zsh, fish.
std::vector<std::string> Shells();

/// A script that has the shell complete the command lines of these programs: commands, options and
/// their values; files where a value is one.
std::string Completion(const std::string& shell, std::span<const CommandFacts> programs,
                       const KnownValues& known);

/// How an option's values are completed, the same in every shell.
struct ValueCompletion {
  std::vector<std::string> words;  // choices; of a pattern, such as serial:DEVICE, what is fixed
  bool files = false, folders = false;
};
ValueCompletion CompletionOf(const OptionFacts& option, const KnownValues& known);

}  // namespace vta::tools
