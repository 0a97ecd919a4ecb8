// A search whose trials the workers of a farm make.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler/tune/log.h"
#include "compiler/tune/measurer.h"
#include "compiler/tune/space.h"
#include "compiler/tune/tuner.h"
#include "tools/vta/common/farm/search.h"
#include "tools/vta/common/progress.h"

namespace vta::tools {

/// Has workers try candidates, those of one task after those of another, and appends what they
/// cost to a log, each once. What the log has is not tried, and no task goes on behind its bound.
class FarmedTrials {
 public:
  /// All of it is borrowed. `known`: of the log, and grows with it; `compiler`: as the log has it.
  struct Parts {
    std::vector<compiler::tune::Task>* tasks = nullptr;
    std::vector<compiler::tune::LogEntry>* known = nullptr;
    compiler::tune::LogWriter* writer = nullptr;
    const compiler::tune::Measurer* measurer = nullptr;
    Progress* progress = nullptr;
    std::string compiler;
    /// Then no task tries more than its first batch.
    std::function<bool()> is_over;
  };
  explicit FarmedTrials(Parts parts);

  /// Errors: as FarmSearch; what came before is in the log.
  void Run(FarmSearch* farm);
  /// How many of each task.
  const std::map<compiler::tune::LogKey, int64_t>& tried() const { return tried_; }

 private:
  struct Place {
    size_t task = 0, candidate = 0;
  };
  std::optional<int64_t> Next();
  void Done(int64_t job, const JobEnd& end, const FarmTally& tally);
  void Keep();

  const Parts parts_;
  Place next_;
  std::vector<Place> jobs_;
  std::vector<compiler::tune::LogEntry> fresh_;  // not in the log yet
  std::map<compiler::tune::LogKey, int64_t> tried_;
};

/// Has a machine of a farm try candidates, one after the other.
class MeasuredTrials {
 public:
  /// Both are borrowed.
  MeasuredTrials(FarmSearch* farm, const Progress* progress) : farm_(*farm), progress_(*progress) {}

  /// Those that have neither cost nor failure. Errors: as FarmSearch; throws Error where nothing
  /// can be measured there any more.
  void Try(const compiler::tune::Space& space, std::span<compiler::tune::Candidate> candidates);

 private:
  FarmSearch& farm_;
  const Progress& progress_;
  std::map<std::string, int64_t> asked_;  // how often, by what was asked first
};

}  // namespace vta::tools
