// The vta tool: parses the command line, runs one command, turns errors into one message and an
// exit status: 0 done, 1 failed, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "sim/rtl/shell.h"
#include "tools/shared/exit_status.h"
#include "tools/shared/stack.h"
#include "tools/vta/commands.h"
#include "tools/vta/options.h"

namespace {

// What a usage error says where a word stands for a command and is none, or a command wants another
// one after it; empty where all is well.
std::string WrongCommand(const CLI::App& app, std::span<const char* const> words,
                         const std::string& before = "vta") {
  const std::vector<const CLI::App*> commands = app.get_subcommands(
      [](const CLI::App* command) { return !command->get_name().empty(); });  // groups of options
  if (commands.empty()) return "";
  if (!words.empty() && words[0][0] == '-')
    return app.get_option_no_throw(words[0])
               ? ""
               : std::string(words[0]) + ": is not an option; " + before + " --help lists them";
  if (words.empty()) return "a command is missing; " + before + " --help lists them";
  for (const CLI::App* command : commands)
    if (command->get_name() == words[0])
      return WrongCommand(*command, words.subspan(1), before + " " + words[0]);
  return std::string(words[0]) + ": is not a command; " + before + " --help lists them";
}

int Main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit of sizes is an error like a full disk
  CLI::App app("The VTA toolkit: a tensor accelerator, its simulators and its compiler.", "vta");
  app.require_subcommand(1);
  app.footer("vta COMMAND --help says more. Exit status: 0 done, 1 failed, 2 wrong usage.");
  app.failure_message([](const CLI::App*, const CLI::Error& e) {
    return std::string("vta: ") + e.what() + "\nRun with --help for more information.\n";
  });
  std::function<int()> run;
  for (const auto& row : vta::tools::Commands()) {
    CLI::App* command = app.add_subcommand(std::string(row.name), std::string(row.summary));
    command->callback([&run, action = row.add(*command)] { run = action; });
    if (!row.example.empty()) command->footer("Example: vta " + std::string(row.example));
  }
  if (const std::string wrong = WrongCommand(app, {argv + 1, argv + argc}); !wrong.empty()) {
    std::fprintf(stderr, "vta: %s\n", wrong.c_str());
    return 2;
  }
  try {
    vta::tools::RefuseEmpty(app, {argv + 1, argv + argc});
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return vta::tools::ExitStatus("vta", [&] {
    try {
      vta::tools::CheckFiles(app);
      return run();
    } catch (const vta::sim::Interrupted& e) {  // everything half made is gone
      std::fprintf(stderr, "vta: %s\n", e.what());
      std::signal(e.signal(), SIG_DFL);
      std::raise(e.signal());
      throw;
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  return vta::tools::OnOwnStack("vta", [&] { return Main(argc, argv); });
}
