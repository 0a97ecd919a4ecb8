// The kinds of work that a farm does, from both sides: what a search sends, and what its workers
// make of that.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/tune/measurer.h"
#include "isa/config.h"
#include "isa/support/json.h"
#include "tools/farm/study.h"
#include "tools/vta/common/processes.h"
#include "tools/vta/common/session.h"
#include "tools/vta/common/workload.h"

namespace vta::tools {

inline constexpr char kTuneKind[] = "tune", kExploreKind[] = "explore";

/// Does a job of a study, by its text. What it throws ends the job's process.
using DoesJob = std::function<std::string(const std::string& text)>;
/// Does jobs until there are no more.
using DoesJobs = std::function<void(const DoesJob&)>;

/// Trials of a model's schedules: on a machine where there is one, else on the cycle model.
struct TuneFacts {
  std::string target;
  int64_t tasks = 0;  // that the model has
  std::string build;  // as a log has it
  std::optional<farm::Machine> machine = std::nullopt;
};
/// Errors: as ReadFile.
farm::Study TuneStudy(const ModelOptions& model, const TuneFacts& facts);
/// `again`: how often it was made before.
std::string TrialText(const std::string& workload, const std::string& point, int64_t again = 0);
struct TrialEnd {
  std::optional<int64_t> cost;  // or
  std::string failure;
};
/// What became of a trial. Errors: throws Error where its worker could not measure at all.
TrialEnd TrialEndOf(const JobEnd& end);
/// Of a model that is compiled so. Called by who does the first job.
using MakesMeasurer =
    std::function<std::unique_ptr<compiler::tune::Measurer>(const ModelOptions& model)>;
/// Errors: throws Error where the model or the facts are not legal.
void ServeTrials(const Json& facts, const std::string& folder, const MakesMeasurer& measurer,
                 const DoesJobs& serve);

/// What variants are costed with: as Workload has it.
struct ExploreFacts {
  std::vector<std::string> models;
  ModelFiles files;
  std::vector<std::string> dims;
  std::string assume, energy;
};
farm::Study ExploreStudy(const ExploreFacts& facts, const std::string& build, double limit_s);
/// `effort`: as of Workload::Costing.
std::string PointText(const isa::Config& config, int64_t effort);
void ServePoints(const Json& facts, const std::string& folder, const DoesJobs& serve);

}  // namespace vta::tools
