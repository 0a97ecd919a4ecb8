#include "tools/vta/tune/search_page.h"

#include "isa/support/error.h"
#include "tools/report/page_files.h"

namespace vta::tools {
namespace {

using compiler::tune::Candidate;
using compiler::tune::Task;

Json TrialJson(const Task& task, const Candidate& candidate) {
  Json json = Json()
                  .Set("point", compiler::tune::Print(task.choices, candidate.point))
                  .Set("estimate", candidate.estimate)
                  .Set("cost", candidate.cost ? Json(*candidate.cost) : Json());
  if (!candidate.failure.empty()) json.Set("failure", Visible(candidate.failure));
  return json;
}

Json TaskJson(const SearchFacts& facts, const Task& task) {
  Json::Array trials;
  for (const Candidate& candidate : task.candidates)
    if (candidate.cost || !candidate.failure.empty()) trials.push_back(TrialJson(task, candidate));
  const Candidate& chosen = task.candidates[task.chosen];
  Json json = Json()
                  .Set("step", Visible(task.step))
                  .Set("workload", Visible(task.key.workload))
                  .Set("steps", task.steps)
                  .Set("size", task.size)
                  .Set("bound", task.bound)
                  .Set("end", EndOf(task))
                  .Set("trials", std::move(trials));
  if (!chosen.cost) return json.Set("point", "").Set("failure", Visible(chosen.failure));
  return json.Set("point", compiler::tune::Print(task.choices, chosen.point))
      .Set("best", *chosen.cost)
      .Set("untuned", *CostOfFirst(task, facts.effort));
}

}  // namespace

std::string EndOf(const Task& task) {
  switch (task.end) {
    case Task::End::kTrials:
      return "";
    case Task::End::kExhausted:
      return "candidates exhausted";
    case Task::End::kBound:
      return "bound met";
    case Task::End::kStopped:
      return "budget spent";
  }
  return "";
}

Json SearchJson(const SearchFacts& facts, std::span<const Task> tasks) {
  Json::Array all;
  for (const Task& task : tasks) all.push_back(TaskJson(facts, task));
  return Json()
      .Set("model", Visible(facts.model))
      .Set("config", Visible(facts.config))
      .Set("measurer", facts.measurer)
      .Set("log", Visible(facts.log))
      .Set("unit", facts.unit)
      .Set("effort", facts.effort)
      .Set("tasks", std::move(all));
}

std::string SearchPage(const SearchFacts& facts, std::span<const Task> tasks) {
  return PageWith(kTuningPage, SearchJson(facts, tasks).Dump(-1));
}

}  // namespace vta::tools
