// The vta tool: parses the command line, runs one command, turns errors into one message and an
// exit status: 0 done, 1 failed, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <csignal>
#include <string>

#include "sim/build/shell.h"
#include "tools/help/program.h"
#include "tools/shared/stack.h"
#include "tools/shared/version.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/options.h"
#include "tools/vta/log_writer.h"

namespace {

int Main(int argc, char** argv) {
  using namespace vta::tools;
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit of sizes is an error like a full disk
  CLI::App app("The VTA toolkit: a tensor accelerator, its simulators and its compiler.", "vta");
  AddEverywhere(app, [] { return VersionText("vta", kCommit, true); });
  const auto run = AddCommands(app);
  return RunProgram(app, argc, argv, LibraryWriter, [&] {
    try {
      CheckFiles(app);
      return run();
    } catch (const vta::sim::Interrupted& e) {  // everything half made is gone
      Log(LogLevel::kError, e.what());
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
