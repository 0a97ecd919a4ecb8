// What vta explore does: the points of a space costed with networks, or the steps from one config.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/support/json.h"
#include "tools/vta/common/farm/search.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/session.h"
#include "tools/vta/explore/confirm.h"
#include "tools/vta/explore/reports.h"
#include "tools/vta/explore/search.h"

namespace CLI {
class App;
}

namespace vta::tools {

struct ExploreOptions {
  std::vector<std::string> models, dims, objectives = {"latency", "area", "energy"};
  std::vector<double> weights;
  std::string space, folder, energy, config, assume, eval;
  std::optional<double> budget_s;
  TuneOptions jobs;
  SearchOptions search;
  ConfirmOptions confirm;
  FarmOptions farm;
  int64_t reports = ReportsOptions().most;
  bool no_pruning = false, json = false, sensitivity = false;
  const CLI::App* command = nullptr;  // borrowed; of AddTo
  /// In place of what the file or the name has, which errors then name.
  std::string own_space;
  std::optional<isa::Config> own_config;
  ModelFiles files;

  void AddTo(CLI::App& app);
  /// Errors: throws UsageError where what is asked for lacks an option, or has one of the other.
  void RequireTogether(const CLI::App& app) const;
  compiler::ImportOptions Import() const;
};

struct ExploreResult {
  Json json;
  std::string text;  // for people
};

/// Costs the points of the space, and writes what is known of them into the folder. `build`: as a
/// log of results has it; `say` is told what is left of the space. Errors: throws Error where an
/// option, a network or the space is not legal, or no point is left; Stopped where the progress was
/// asked to end: what was costed by then is in the folder, whole.
ExploreResult Explore(const ExploreOptions& options, const std::string& build, Progress* progress,
                      const std::function<void(const std::string&)>& say);

/// The same of --sensitivity, which writes no files.
ExploreResult ExploreSteps(const ExploreOptions& options, Progress* progress);

}  // namespace vta::tools
