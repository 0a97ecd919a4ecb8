#include "tools/vta/tune/farmed.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/tune/bound.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/vta/common/farm/kinds.h"

namespace vta::tools {

using compiler::tune::Candidate;
using compiler::tune::LogEntry;
using compiler::tune::LogKey;
using compiler::tune::Task;

FarmedTrials::FarmedTrials(Parts parts) : parts_(std::move(parts)) {
  std::map<std::pair<LogKey, std::string>, const LogEntry*> known;
  for (const LogEntry& entry : *parts_.known)
    if (IsOf(*parts_.measurer, entry) && entry.compiler == parts_.compiler)
      known[{entry.key, entry.point}] = &entry;
  for (Task& task : *parts_.tasks)
    for (Candidate& candidate : task.candidates)
      if (const auto found = known.find({task.key, Print(task.choices, candidate.point)});
          found != known.end())
        candidate.cost = found->second->cost, candidate.failure = found->second->failure;
}

std::optional<int64_t> FarmedTrials::Next() {
  const bool is_over = parts_.is_over();
  for (auto& [task, candidate] = next_; task < parts_.tasks->size(); ++task, candidate = 0) {
    const Task& one = parts_.tasks->at(task);
    const auto most = is_over
                          ? std::min<size_t>(one.candidates.size(), compiler::tune::Tuner::kBatch)
                          : one.candidates.size();
    for (; candidate < most && !compiler::tune::IsAtBound(one.candidates, one.bound); ++candidate) {
      if (one.candidates[candidate].cost || !one.candidates[candidate].failure.empty()) continue;
      jobs_.push_back(next_);
      ++candidate;
      return std::ssize(jobs_) - 1;
    }
  }
  return std::nullopt;
}

void FarmedTrials::Done(int64_t job, const JobEnd& end, const FarmTally& tally) {
  const auto [at, place] = jobs_.at(static_cast<size_t>(job));
  Task& task = parts_.tasks->at(at);
  Candidate& candidate = task.candidates.at(place);
  const TrialEnd trial = TrialEndOf(end);
  candidate.cost = trial.cost, candidate.failure = trial.failure;
  ++tried_[task.key];
  LogEntry entry{task.key, parts_.measurer->Name(), parts_.measurer->Hash(), parts_.compiler,
                 task.step};
  entry.point = Print(task.choices, candidate.point);
  entry.estimate = candidate.estimate;
  entry.cost = candidate.cost, entry.failure = candidate.failure;
  fresh_.push_back(std::move(entry));
  parts_.progress->Count(static_cast<int64_t>(at) + 1, std::ssize(*parts_.tasks));
  parts_.progress->At(StrCat(task.step, ", ", CountedWithCommas(tally.jobs, "trial"), " sent to ",
                             Counted(tally.workers, "worker")));
}

void FarmedTrials::Keep() {
  if (fresh_.empty()) return;
  parts_.writer->Append(fresh_);
  std::ranges::move(fresh_, std::back_inserter(*parts_.known));
  fresh_.clear();
}

void FarmedTrials::Run(FarmSearch* farm) {
  farm->Run({.next = [&] { return Next(); },
             .text =
                 [&](int64_t job) {
                   const auto [at, place] = jobs_.at(static_cast<size_t>(job));
                   const Task& task = parts_.tasks->at(at);
                   return TrialText(task.key.workload,
                                    Print(task.choices, task.candidates.at(place).point));
                 },
             .done =
                 [&](int64_t job, const JobEnd& end) {
                   Done(job, end, farm->tally());
                   return true;
                 },
             .keep = [&] { Keep(); },
             .on_wait = [&] { parts_.progress->RequireGoingOn(); }});
}

void MeasuredTrials::Try(const compiler::tune::Space& space, std::span<Candidate> candidates) {
  const std::string workload = space.Workload();
  std::vector<Candidate*> left;
  std::vector<std::string> texts;
  for (Candidate& candidate : candidates) {
    if (candidate.cost || !candidate.failure.empty()) continue;
    const std::string point = Print(space.Choices(), candidate.point);
    // Each time is an answer of its own.
    texts.push_back(TrialText(workload, point, asked_[TrialText(workload, point)]++));
    left.push_back(&candidate);
  }
  farm_.Run({.next = EachOf(std::ssize(left)),
             .text = [&](int64_t job) { return texts.at(static_cast<size_t>(job)); },
             .done =
                 [&](int64_t job, const JobEnd& end) {
                   const TrialEnd trial = TrialEndOf(end);
                   left.at(static_cast<size_t>(job))->cost = trial.cost;
                   left.at(static_cast<size_t>(job))->failure = trial.failure;
                   return true;
                 },
             .on_wait = [&] { progress_.RequireGoingOn(); }});
}

}  // namespace vta::tools
