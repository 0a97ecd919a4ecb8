// vta tune MODEL --log L.jsonl
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "isa/support/error.h"
#include "tools/shared/version.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/served_model.h"
#include "tools/vta/tune/search.h"

namespace vta::tools {

std::function<int()> AddTuneCommand(CLI::App& app) {
  auto options = std::make_shared<TuningOptions>();
  options->AddTo(app);
  return [options, &app] {
    TakeFromServer(options->engine, &options->model);
    Progress progress(StrCat("tune ", options->model.model));
    Search search(*options, ThisBuild(app.get_parent()->version()), &progress,
                  [](const std::string& line) { fmt::print("{}", line); });
    fmt::print("{}", search.Run().text);
    return 0;
  };
}

}  // namespace vta::tools
