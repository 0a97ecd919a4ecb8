// vta man [COMMAND...] [-o FOLDER]
#include "tools/help/man.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "tools/help/program.h"
#include "tools/runner/options.h"
#include "tools/serve/program/server.h"
#include "tools/shared/version.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/options.h"

namespace vta::tools {
namespace {

// A page of each program. The commands of vta have no files of their own: vta-run and vta-serve are
// programs.
void WritePages(const CommandFacts& tool, const std::string& folder) {
  std::filesystem::create_directories(folder);
  for (const CommandFacts& program : {tool, RunnerFacts(), BoardServerFacts()})
    WriteFileAtomically(StrCat(folder, "/", program.name, ".1"), ManPage(program, Version()));
}

}  // namespace

std::function<int()> AddManCommand(CLI::App& app) {
  struct Options {
    std::vector<std::string> words;
    std::string folder;
  };
  auto options = std::make_shared<Options>();
  CLI::Option* words = app.add_option(
      "COMMAND", options->words, "a command, such as hw pnr; without it the tool with all of them");
  WritesFolder(app.add_option("-o,--output", options->folder,
                              "folder for the pages of the tool, of vta-run and of vta-serve"))
      ->excludes(words);
  return [options, &app] {
    const CommandFacts command = FactsOf(FindCommand(*app.get_parent(), options->words));
    if (options->folder.empty())
      std::fputs(ManPage(command, Version()).c_str(), stdout);
    else
      WritePages(command, options->folder);
    return 0;
  };
}

}  // namespace vta::tools
