// A search whose trials are made on another machine: what it exports, and what comes back.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/tune/chooser.h"
#include "compiler/tune/log.h"
#include "compiler/tune/measurer.h"
#include "compiler/tune/tuner.h"
#include "isa/spec/gpu.h"
#include "tools/vta/common/trials/batch.h"

namespace vta::tools {

/// The GPU that a log has last, which is not here: it says what it is, and measures nothing.
class GpuElsewhere : public compiler::tune::Measurer {
 public:
  GpuElsewhere(const isa::GpuRow& kind, std::span<const compiler::tune::LogEntry> log);

  std::string Name() const override;
  uint64_t Hash() const override { return last_.hash; }
  std::string Machine() const override { return last_.machine; }
  bool is_noisy() const override { return true; }
  int64_t Measure(const compiler::tune::Trial& trial) const override;

 private:
  const compiler::tune::MeasuredOn last_;
};

/// Adds the candidates' packages, made so many at once, behind that of the task's first candidate
/// where it was measured. `compiler`: as a log has it.
void AddToBatch(const isa::GpuRow& kind, isa::Precision precision,
                const compiler::tune::Space& space, const compiler::tune::Task& task,
                std::span<const compiler::tune::Candidate> candidates, const std::string& compiler,
                int64_t jobs, Batch* batch);

/// Counts the tasks of a network, those of which a search then is one by one; holds results to
/// them, and keeps their first candidates.
class TaskFinder : public compiler::tune::Chooser {
 public:
  /// `results`: a log's lines, or ""; `count`: of candidates of each task, 0 for none.
  TaskFinder(std::string target, uint64_t arch, const std::string& results, int64_t count);

  std::vector<compiler::tune::Offer> Choose(const std::string& step, int64_t macs,
                                            const compiler::tune::Space& space) override;
  int64_t count() const { return std::ssize(spaces_); }
  /// With candidates; without them none.
  std::vector<compiler::tune::Task>& tasks() { return tasks_; }
  /// When all tasks were met. Errors: throws Error for the first result that is none of a task's,
  /// naming file, line, value and rule.
  std::vector<compiler::tune::LogEntry> Results() const;

 private:
  struct Result {
    std::string where;
    compiler::tune::LogEntry entry;
    bool is_point = false;  // of its task's space
  };
  const std::string target_;
  const uint64_t arch_;
  const int64_t candidates_;
  std::vector<compiler::tune::Task> tasks_;
  std::vector<Result> results_;
  std::map<std::string, uint64_t> spaces_;  // their hashes, by workloads
};

}  // namespace vta::tools
