// vta completion SHELL [-o FILE]
#include "tools/help/completion.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "isa/support/file.h"
#include "tools/energy/technology.h"
#include "tools/runner/options.h"
#include "tools/serve/program/server.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/options.h"

namespace vta::tools {

std::function<int()> AddCompletionCommand(CLI::App& app) {
  struct Options {
    std::string shell, output;
  };
  auto options = std::make_shared<Options>();
  app.add_option("SHELL", options->shell, "whose script it is")->check(OneOf(Shells()))->required();
  WritesFile(app.add_option("-o,--output", options->output, "write it there"));
  return [options, &app] {
    const CommandFacts programs[] = {FactsOf(*app.get_parent()), RunnerFacts(), BoardServerFacts()};
    const std::string script =
        Completion(options->shell, programs,
                   {{kConfig, ShippedConfigs()}, {kEnergyTable, ShippedTechnologies()}});
    if (options->output.empty())
      std::fputs(script.c_str(), stdout);
    else
      WriteFileAtomically(options->output, script);
    return 0;
  };
}

}  // namespace vta::tools
