// The search that vta tune makes: for each task of a network, schedules that are tried and logged.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/tune/log.h"
#include "compiler/tune/tuner.h"
#include "tools/vta/common/farm/search.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/session.h"
#include "tools/vta/common/trials/search_lines.h"
#include "tools/vta/tune/search_page.h"

namespace CLI {
class App;
}

namespace vta::tools {

struct TuningOptions {
  ModelOptions model;
  EngineOptions engine;  // that has the GPU
  std::string log, html, batch, results;
  std::optional<int64_t> trials;
  std::optional<double> budget_s;
  FarmOptions farm;
  std::string machine;  // of the farm, that measures; "" for any, and for the cycle model

  void AddTo(CLI::App& app);
  bool is_elsewhere() const { return !batch.empty() || !results.empty(); }
  /// On a machine of the farm.
  bool is_measured_there() const;
};

/// What a search came to.
struct SearchResult {
  SearchFacts facts;
  std::vector<compiler::tune::Task> tasks;
  std::string text;  // for people: a table, and how long it took
};

class Search {
 public:
  using Say = SearchLines::Say;
  /// `compiler`: as a log has it; `progress` is borrowed. Errors: throws Error where the model has
  /// nothing to search, or results are not of its tasks; UsageError for options that do not go
  /// together.
  Search(TuningOptions options, std::string compiler, Progress* progress, Say say);
  ~Search();

  /// Errors: as what is searched; throws Stopped where the progress was asked to end: whole batches
  /// are in the log then, and nothing else.
  SearchResult Run();

 private:
  struct Searched;
  struct Stoppable;
  static TuningOptions WithCredentials(TuningOptions options);
  Searched SearchedOf(const TuningOptions& options) const;
  static Searched SearchedElsewhere(const TuningOptions& options);
  Searched SearchedThere(const TuningOptions& options) const;
  static Searched SearchedBy(const ModelOptions& options, const EngineOptions& engine);
  SearchResult Here();
  /// What the tasks' first candidates take, by workers; which are then of the log.
  std::map<compiler::tune::LogKey, int64_t> OnFarm(const std::function<bool()>& is_over);
  farm::Study StudyOf() const;
  void SayTally(const FarmTally& tally) const;
  SearchResult Elsewhere();
  SearchResult Tune(compiler::tune::TunerOptions tuning);
  void Import();
  SearchResult Export();
  const isa::GpuRow& kind() const;
  int64_t TrialsOr(int64_t otherwise) const;

  TuningOptions options_;
  const std::string compiler_;  // of this build
  Progress& progress_;
  const Say say_;
  std::unique_ptr<Searched> searched_;
  int64_t count_ = 0;                        // of tasks
  std::vector<compiler::tune::Task> tasks_;  // where a farm tries their candidates
  std::vector<compiler::tune::LogEntry> results_, known_;
  std::optional<compiler::tune::LogWriter> writer_;
};

}  // namespace vta::tools
