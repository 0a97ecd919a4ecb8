#include "tools/vta/tune/elsewhere.h"

#include <algorithm>
#include <iterator>
#include <variant>

#include "compiler/tune/parallel.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "tools/vta/common/trials/gpu_measurer.h"
#include "tools/vta/common/trials/gpu_trial.h"

namespace vta::tools {

using compiler::tune::Candidate;
using compiler::tune::LogEntry;
using compiler::tune::Space;
using compiler::tune::Task;

GpuElsewhere::GpuElsewhere(const isa::GpuRow& kind, std::span<const LogEntry> log)
    : last_(LastMeasuredOn(log, kind.name).value_or(compiler::tune::MeasuredOn{})) {}

std::string GpuElsewhere::Name() const { return GpuMeasurer::kName; }

int64_t GpuElsewhere::Measure(const compiler::tune::Trial&) const {
  VTA_CHECK(false, "what is elsewhere measures nothing");
  return 0;
}

void AddToBatch(const isa::GpuRow& kind, isa::Precision precision, const Space& space,
                const Task& task, std::span<const Candidate> candidates,
                const std::string& compiler, int64_t jobs, Batch* batch) {
  if (candidates.empty()) return;
  std::vector<Candidate> all(candidates.begin(), candidates.end());
  if (task.candidates[0].cost) all.insert(all.begin(), task.candidates[0]);
  std::vector<BatchLine> lines(all.size());
  compiler::tune::InParallel(jobs, all.size(), [&](size_t i) {
    const Candidate& one = all[i];
    lines[i] = {
        {task.key, GpuMeasurer::kName, 0, compiler, task.step, Print(space.Choices(), one.point),
         one.estimate, one.cost, "", one.times, one.features},
        task.macs};
    try {
      const compiler::tune::Trial trial = space.Try(one.point);
      lines[i].package =
          PackageOf(std::get<compiler::KernelCode>(trial.code), kind, GpuSpecs(kind, precision));
    } catch (const Error& error) {
      lines[i].entry.cost.reset(), lines[i].entry.failure = error.what();
    }
  });
  if (lines.size() > candidates.size() && !lines[0].package) lines.erase(lines.begin());
  std::ranges::move(lines, std::back_inserter(batch->lines));
}

TaskFinder::TaskFinder(std::string target, uint64_t arch, const std::string& results, int64_t count)
    : target_(std::move(target)), arch_(arch), candidates_(count) {
  if (results.empty()) return;
  const std::string text = ReadTextFile(results);
  for (const compiler::tune::Line& line : compiler::tune::LinesOf(text, results))
    results_.push_back({line.where, compiler::tune::ParseEntry(line.text, line.where)});
  if (results_.empty()) throw Error(results, "", "", "has no results");
}

std::vector<compiler::tune::Offer> TaskFinder::Choose(const std::string& step, int64_t,
                                                      const Space& space) {
  const std::string workload = space.Workload();
  const bool is_new = spaces_.emplace(workload, SpaceHash(space)).second;
  for (Result& result : results_) {
    if (!is_new || result.entry.key.workload != workload) continue;
    try {
      result.is_point = space.Has(ParsePoint(space.Choices(), result.entry.point));
    } catch (const Error&) {  // said where the results are asked for
    }
  }
  if (!is_new || candidates_ == 0) return {{space.Cheapest(1)[0]}};
  Task task;
  task.step = step, task.key = {target_, workload, arch_, compiler::tune::SpaceHash(space)};
  task.choices = space.Choices(), task.bound = space.Bound();
  task.candidates = compiler::tune::CandidatesOf(space, space.Cheapest(candidates_));
  tasks_.push_back(std::move(task));
  return {{tasks_.back().candidates[0].point}};
}

std::vector<LogEntry> TaskFinder::Results() const {
  std::vector<LogEntry> entries;
  for (const Result& result : results_) {
    const LogEntry& entry = result.entry;
    const auto require = [&](bool holds, const char* what, const std::string& value,
                             const std::string& rule) {
      if (!holds) throw Error(result.where, what, value, rule);
    };
    require(entry.key.target == target_, "target", entry.key.target,
            StrCat("must be ", target_, ", that of --target"));
    require(entry.measurer == GpuMeasurer::kName, "measurer", entry.measurer,
            StrCat("must be ", GpuMeasurer::kName, ", as vta measure writes it"));
    const auto space = spaces_.find(entry.key.workload);
    require(space != spaces_.end(), "workload", entry.key.workload,
            StrCat("must be one of the model's ", Counted(count(), "task")));
    const auto is_of_now = [&](const char* what, uint64_t value, uint64_t now) {
      constexpr int kDigits = 16;
      require(value == now, what, Hex(value, kDigits),
              StrCat("must be ", Hex(now, kDigits), ": the batch is another version's"));
    };
    is_of_now("arch", entry.key.arch, arch_);
    is_of_now("space", entry.key.space, space->second);
    require(result.is_point, "point", entry.point, "must be a point of its task's space");
    entries.push_back(entry);
  }
  return entries;
}

}  // namespace vta::tools
