// What a command line declares, as plain data: help, manual pages and completion are made of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace vta::tools {

/// What the values of options are, beside N, X and TEXT: files (kWritten are those that a command
/// writes), folders, and accelerator configs and tables of energies, which are shipped names or
/// files.
inline constexpr char kFile[] = "FILE", kWritten[] = "OUT", kFolder[] = "FOLDER",
                      kConfig[] = "CONFIG", kEnergyTable[] = "TABLE";

struct OptionFacts {
  std::vector<std::string> names;  // "-c", "--config"; of an argument without dashes its name alone
  std::string kind;                // what a value is: FILE, CONFIG, N, ...; "" for a flag
  std::string value;               // the same as help shows it: the choices where they are short
  std::vector<std::string> choices;  // the legal values, where there is a list of them
  std::string summary;               // with the choices in it, where `value` has not got them
  std::string standard;              // the value without the option; "" for none
  std::string group;
  bool required = false;
  bool repeated = false;  // takes several values, or may be given several times

  /// The longest name: "--config".
  const std::string& name() const { return names.back(); }
  bool positional() const { return names.front()[0] != '-'; }
};

struct CommandFacts {
  std::string name;  // with those that it is a command of: "vta hw area"
  std::string group;
  std::string summary, footer;
  std::vector<OptionFacts> options;     // its own, arguments without dashes first
  std::vector<OptionFacts> everywhere;  // of the program, before or after any command
  std::vector<CommandFacts> commands;

  /// The last word of its name.
  std::string word() const { return name.substr(name.rfind(' ') + 1); }
};

/// A group of options or commands: those that have its name, in order of declaration.
template <typename Facts>
using Group = std::pair<std::string, std::vector<const Facts*>>;

/// The groups, the one with the fewest first, then in order of declaration; kEverywhere is last.
std::vector<Group<OptionFacts>> GroupsOf(const std::vector<OptionFacts>& options);
std::vector<Group<CommandFacts>> GroupsOf(const std::vector<CommandFacts>& commands);

/// Everything that `app` declares, with its commands. Options of option groups are the app's own;
/// options and commands whose group is "" are left out.
CommandFacts FactsOf(const CLI::App& app);

}  // namespace vta::tools
