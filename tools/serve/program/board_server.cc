// The command line of vta-serve, the server for boards.
#include <CLI/CLI.hpp>

#include "tools/help/program.h"
#include "tools/serve/program/server.h"
#include "tools/shared/version.h"

namespace vta::tools {
namespace {

constexpr char kProgram[] = "vta-serve",
               kWhatFor[] = "Serves devices of a board to other machines.";

void DeclareServer(CLI::App& app, ServerOptions& options, const std::string& commit,
                   const ServerProgram& program) {
  AddEverywhere(app, [commit] { return VersionText(kProgram, commit, false); });
  AddServerTo(app, options, program);
  app.footer("Example: vta-serve --device functional --listen 127.0.0.1:7227");
}

}  // namespace

ServerProgram BoardServer() {
  ServerProgram program;
  program.name = kProgram;
  program.simulators = {"functional", "cycle"};
  program.config_kind = kFile;
  program.load_config = isa::LoadConfig;
  return program;
}

CommandFacts BoardServerFacts() {
  ServerOptions options;
  CLI::App app(kWhatFor, kProgram);
  DeclareServer(app, options, "", BoardServer());
  return FactsOf(app);
}

int RunBoardServer(int argc, const char* const* argv, const std::string& commit,
                   const ServerProgram& program) {
  ServerOptions options;
  CLI::App app(kWhatFor, kProgram);
  DeclareServer(app, options, commit, program);
  return RunProgram(app, argc, argv, PlainWriter, [&] { return RunServer(options, program); });
}

}  // namespace vta::tools
