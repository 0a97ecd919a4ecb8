// vta help [COMMAND...] | --markdown
#include <CLI/CLI.hpp>
#include <cstdio>

#include "isa/support/error.h"
#include "tools/help/program.h"
#include "tools/help/text.h"
#include "tools/vta/commands.h"

namespace vta::tools {
namespace {

std::string Section(const CommandFacts& command) {
  std::string text = StrCat("\n## ", command.name, "\n\n```\n",
                            HelpText(command, kUsualHelp, /*color=*/false), "```\n");
  for (const CommandFacts& inner : command.commands) text += Section(inner);
  return text;
}

// The page that ./vta shows where the tool is not built.
std::string Markdown(const CommandFacts& program) {
  return StrCat(
      "<!-- Generated from the tool's declarations, do not edit: vta help --markdown -->\n"
      "# The commands of `vta`\n\nWhat each `--help` says.\n",
      Section(program));
}

}  // namespace

std::function<int()> AddHelpCommand(CLI::App& app) {
  struct Options {
    std::vector<std::string> words;
    bool markdown = false;
  };
  auto options = std::make_shared<Options>();
  CLI::Option* words = app.add_option("COMMAND", options->words, "a command, such as hw pnr");
  app.add_flag("--markdown", options->markdown, "print the page of all commands, in Markdown")
      ->excludes(words);
  return [options, &app] {
    const CLI::App& program = *app.get_parent();
    const CLI::App& command = FindCommand(program, options->words);
    if (options->markdown)
      std::fputs(Markdown(FactsOf(program)).c_str(), stdout);
    else
      PrintHelp(program, command);
    return 0;
  };
}

}  // namespace vta::tools
