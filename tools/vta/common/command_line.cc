#include "tools/vta/common/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "isa/support/error.h"
#include "sim/build/shell.h"

namespace vta::tools {
namespace {

/// Without quotes where a shell does not need them.
std::string Word(const std::string& text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-.:/+,=@%").find(c) != std::string_view::npos;
  });
  return plain ? text : sim::ShellQuoted(text);
}

}  // namespace

std::string CommandLine(const CLI::App& command) {
  std::string text;
  for (const CLI::App* app = &command; app; app = app->get_parent())
    if (!app->get_name().empty()) text = StrCat(app->get_name(), text.empty() ? "" : " ", text);
  std::set<const CLI::Option*> said;
  std::vector<CLI::Option*> options = command.parse_order();
  // Options may stand in groups, which are commands without a name.
  for (const CLI::App* group :
       command.get_subcommands([](const CLI::App* inner) { return inner->get_name().empty(); }))
    options.insert(options.end(), group->parse_order().begin(), group->parse_order().end());
  for (const CLI::Option* option : options) {
    if (!said.insert(option).second) continue;  // all that it was given stands where it was first
    const std::string name = option->get_positional() ? "" : StrCat(" ", option->get_name());
    if (option->get_items_expected_max() == 0)
      text += name;
    else
      for (const std::string& value : option->results()) text += StrCat(name, " ", Word(value));
  }
  return text;
}

}  // namespace vta::tools
