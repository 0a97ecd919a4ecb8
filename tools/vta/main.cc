// The vta tool: parses the command line, runs one command, turns errors into one message and an
// exit status: 0 done, 1 failed, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "tools/vta/commands.h"

int main(int argc, char** argv) {
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
  const auto is_command = [&](const auto& row) { return row.name == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::ranges::none_of(vta::tools::Commands(), is_command)) {
    std::fprintf(stderr, "vta: %s: is not a command; vta --help lists them\n", argv[1]);
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    const int status = run();
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
    std::fprintf(stderr, "vta: stdout: cannot write: %s\n", std::strerror(errno));
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "vta: out of memory\n");
  } catch (const std::exception& e) {  // an Error, or what the system refuses
    std::fprintf(stderr, "vta: %s\n", e.what());
  }
  return 1;
}
