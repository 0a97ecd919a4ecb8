#include "tools/vta/tool.h"

#include <CLI/CLI.hpp>
#include <csignal>

#include "sim/build/shell.h"
#include "tools/help/program.h"
#include "tools/shared/version.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/options.h"

namespace vta::tools {

int RunTool(int argc, const char* const* argv, const std::string& commit,
            const std::function<LogWriter(const LogOptions&)>& writer) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit of sizes is an error like a full disk
  CLI::App app("The VTA toolkit: a tensor accelerator, its simulators and its compiler.", "vta");
  AddEverywhere(app, [commit] { return VersionText("vta", commit, true); });
  const auto run = AddCommands(app);
  return RunProgram(app, argc, argv, writer, [&] {
    try {
      CheckFiles(app);
      return run();
    } catch (const sim::Interrupted& e) {  // everything half made is gone
      Log(LogLevel::kError, e.what());
      std::signal(e.signal(), SIG_DFL);
      std::raise(e.signal());
      throw;
    }
  });
}

}  // namespace vta::tools
