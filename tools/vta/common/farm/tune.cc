#include <filesystem>
#include <map>
#include <stdexcept>

#include "compiler/tune/chooser.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "runtime/thread_pool.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/farm/kinds.h"
#include "tools/vta/common/progress.h"

namespace vta::tools {
namespace {

using compiler::tune::Measurer;
using compiler::tune::Space;

constexpr double kTrialLimitS = 60;
constexpr char kTrial[] = "trial";
constexpr char kCannot[] = "cannot";  // why nothing is said of the trial

/// Meets the spaces of a model's tasks and, when it has met the last one, does trials of them.
class TrialServer : public compiler::tune::Chooser {
 public:
  TrialServer(std::function<std::unique_ptr<Measurer>()> make, int64_t tasks, DoesJobs serve)
      : make_(std::move(make)), tasks_(tasks), serve_(std::move(serve)) {}

  /// Spaces are there until all are chosen from. Errors: throws Stopped when there are no more
  /// jobs: nobody wants the package.
  std::vector<compiler::tune::Offer> Choose(const std::string&, int64_t,
                                            const Space& space) override {
    spaces_.emplace(space.Workload(), &space);
    if (std::ssize(spaces_) == tasks_) {
      serve_([this](const std::string& text) { return Try(text); });
      throw Stopped();
    }
    return {{space.Cheapest(1)[0]}};
  }

 private:
  std::string Try(const std::string& text) {
    const Json parsed = Json::Parse(text, kTrial);
    JsonReader json(parsed, kTrial);
    const std::string workload = json.String("workload"), point = json.String("point");
    if (json.Has("again")) json.Int("again", 1, INT64_MAX);
    json.Finish();
    const auto space = spaces_.find(workload);
    if (space == spaces_.end())
      throw Error(kTrial, "workload", workload, "must be one of the model's");
    Json said;
    try {
      Open();
      said.Set("cost", measurer_->Measure(space->second->Try(
                           compiler::tune::ParsePoint(space->second->Choices(), point))));
    } catch (const Error& error) {
      if (error.subject() == "memory") throw;  // which another machine may have
      said.Set("failure", error.what());
    } catch (const std::exception& error) {
      said.Set(kCannot, error.what());
    }
    return said.Dump(-1);
  }

  /// Errors: throws std::runtime_error for any, which says nothing of the trial.
  void Open() {
    try {
      if (!measurer_) measurer_ = make_();
    } catch (const Error& error) {
      throw std::runtime_error(error.what());
    }
  }

  const std::function<std::unique_ptr<Measurer>()> make_;
  std::unique_ptr<Measurer> measurer_;  // of this process
  const int64_t tasks_;
  const DoesJobs serve_;
  std::map<std::string, const Space*> spaces_;
};

}  // namespace

farm::Study TuneStudy(const ModelOptions& model, const TuneFacts& facts) {
  farm::Study study{kTuneKind, facts.build, kTrialLimitS, {}, {}, facts.machine};
  const std::string name = StrCat("model", std::filesystem::path(model.model).extension().string());
  study.files[name] = ReadFile(model.model);
  if (facts.target == "vta")
    study.facts.Set("config", isa::ConfigToJson(model.own_config ? *model.own_config
                                                                 : FindConfig(model.config)));
  study.facts.Set("model", name)
      .Set("target", facts.target)
      .Set("tasks", facts.tasks)
      .Set("targets", model.targets)
      .Set("precision", model.precision)
      .Set("places", model.places)
      .Set("rounding", model.rounding)
      .Set("exact", model.exact)
      .Set("threads", model.threads)
      .Set("assume", model.assume)
      .Set("dims", Json::Array(model.dims.begin(), model.dims.end()));
  return study;
}

std::string TrialText(const std::string& workload, const std::string& point, int64_t again) {
  Json json = Json().Set("workload", workload).Set("point", point);
  if (again > 0) json.Set("again", again);
  return json.Dump(-1);
}

TrialEnd TrialEndOf(const JobEnd& end) {
  if (!end.failure.empty()) return {std::nullopt, end.failure};
  const Json parsed = Json::Parse(end.said, kTrial);
  JsonReader json(parsed, kTrial);
  TrialEnd trial;
  if (json.Has(kCannot)) throw Error("worker", "", "", "cannot measure: " + json.String(kCannot));
  if (json.Has("cost"))
    trial.cost = json.Int("cost", 1, INT64_MAX);
  else
    trial.failure = json.String("failure");
  json.Finish();
  return trial;
}

void ServeTrials(const Json& facts, const std::string& folder, const MakesMeasurer& measurer,
                 const DoesJobs& serve) {
  JsonReader json(facts, kTuneKind);
  ModelOptions model;
  model.model = StrCat(folder, "/", json.String("model"));
  if (json.Has("config")) model.own_config = isa::ParseConfig(json.String("config"), "config");
  const int64_t tasks = json.Int("tasks", 1, INT64_MAX);
  const std::string target = json.String("target");
  model.targets = json.String("targets");
  model.precision = json.String("precision");
  model.places = json.String("places");
  model.rounding = json.String("rounding");
  model.exact = json.Bool("exact");
  model.threads = json.Int("threads", 0, runtime::ThreadPool::kMaxThreads);
  model.assume = json.String("assume");
  for (const Json& dim : json.Array("dims"))
    if (dim.as_string()) model.dims.push_back(*dim.as_string());
  json.Finish();
  if (target == "vta") model.cpus.clear();
  TrialServer server([&] { return measurer(model); }, tasks, serve);
  model.choosers[target] = &server;
  try {
    OpenModel(model);
  } catch (const Stopped&) {
    return;
  }
  throw Error(kTuneKind, "tasks", StrCat(tasks), "must be those of the model");
}

}  // namespace vta::tools
