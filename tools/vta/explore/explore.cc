// vta explore MODEL... --space S.json -o DIR
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/shared/version.h"
#include "tools/vta/commands.h"
#include "tools/vta/explore/explorer.h"

namespace vta::tools {

std::function<int()> AddExploreCommand(CLI::App& app) {
  auto options = std::make_shared<ExploreOptions>();
  options->AddTo(app);
  return [options, &app] {
    options->RequireTogether(app);
    Progress progress("explore");
    const auto say = [&](const std::string& text) {
      if (!options->json) fmt::print("{}", text);
    };
    const ExploreResult result =
        options->sensitivity
            ? ExploreSteps(*options, &progress)
            : Explore(*options, ThisBuild(app.get_parent()->version()), &progress, say);
    fmt::print("{}", options->json ? result.json.Dump() + "\n" : result.text);
    return 0;
  };
}

}  // namespace vta::tools
