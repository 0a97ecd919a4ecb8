// vta tune MODEL -c CONFIG --log L.jsonl
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "compiler/tune/tuner.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/hash.h"
#include "isa/support/plural.h"
#include "tools/report/table.h"
#include "tools/shared/log.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/boosted_trees.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/cpu_facts.h"
#include "tools/vta/common/cycle_measurer.h"
#include "tools/vta/common/gpu_measurer.h"
#include "tools/vta/common/gpu_trial.h"
#include "tools/vta/common/native_cpu.h"
#include "tools/vta/common/native_measurer.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/session.h"
#include "tools/vta/tune/search_page.h"

namespace vta::tools {
namespace {

using compiler::tune::Candidate;
using compiler::tune::Space;
using compiler::tune::Task;
using compiler::tune::Tuner;
using Clock = std::chrono::steady_clock;

struct SearchOptions {
  ModelOptions model;
  EngineOptions engine;  // that has the GPU
  std::string log, html;
  int64_t trials = 256;
  std::optional<double> budget_s;
};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// How many tasks a network has: those of which a search then is one by one.
class TaskCounter : public compiler::tune::Chooser {
 public:
  std::vector<compiler::tune::Offer> Choose(const std::string&, int64_t,
                                            const Space& space) override {
    workloads_.insert(space.Workload());
    return {{space.Cheapest(1)[0]}};
  }
  int64_t count() const { return std::ssize(workloads_); }

 private:
  std::set<std::string> workloads_;
};

/// Of costs.
struct SearchUnit {
  std::string name;    // of several
  double seconds = 0;  // that one is
};

/// What a search is of.
struct Searched {
  std::unique_ptr<compiler::tune::Measurer> measurer;
  std::string target, on;  // `on`: for people
  uint64_t arch = 0;
  SearchUnit unit;
  int64_t jobs = 1;
  int64_t untuned = 1;  // trials after which a compile without a log takes the best
};

Searched SearchedBy(const ModelOptions& options, const EngineOptions& engine) {
  if (options.targets.find(',') != std::string::npos && options.targets != "vta,cpu")
    throw UsageError("--target", "", options.targets,
                     "is of several: a search is of one target, or of vta,cpu");
  if (options.targets != "vta" && options.targets != "vta,cpu" && options.tune.jobs > 0)
    throw UsageError("--jobs", "", StrCat(options.tune.jobs),
                     "is of the cycle model's trials; those of kernels run one after the other");
  for (const isa::GpuRow& kind : isa::kGpus) {
    if (options.targets != kind.name) continue;
    auto measurer = std::make_unique<GpuMeasurer>(kind, engine.DeviceOf(kind));
    const std::string gpu = measurer->gpu();
    return {std::move(measurer),
            std::string(kind.name),
            gpu,
            HashOf(GpuSpecs(kind).back()),
            {"ns", 1e-9}};
  }
  if (options.targets == "cpu") {
    const compiler::lower::CpuSpec cpu = NativeCpu();
    // One after the other: trials beside each other take longer.
    return {std::make_unique<NativeMeasurer>(cpu, AllowedCores().back()),
            "cpu",
            ThisCpu().name,
            HashOf(cpu),
            {"ns", 1e-9}};
  }
  const isa::Config config = FindConfig(options.config);
  const double second = 1e6 * static_cast<double>(config.uarch.clock_mhz);
  return {std::make_unique<CycleMeasurer>(config),
          "vta",
          config.name,
          isa::ArchHash(config),
          {"cycles", 1 / second},
          JobsOf(options.tune),
          TuneOptions::kEffort};
}

/// Says where a search is as it goes from task to task.
class SearchLines {
 public:
  SearchLines(const SearchUnit& unit, const SearchOptions& options, int64_t count,
              Progress* progress)
      : unit_(unit), options_(options), count_(count), progress_(*progress) {}

  void Tell(const Task& task) {
    if (task.key.workload != workload_) {
      End();
      workload_ = task.key.workload;
      ++number_;
      start_ = Clock::now();
    }
    line_ = Line(task);
    progress_.Count(number_, count_);
    const Candidate* const best = compiler::tune::Best(task.candidates);
    progress_.At(best ? StrCat(task.step, ", ", WithCommas(*best->cost), " ", unit_.name)
                      : task.step);
  }
  /// Of the task that was told of last.
  void End() {
    if (line_.empty()) return;
    progress_.Hide();
    fmt::print("{} | {:.2f} s Done.\n", line_, SecondsSince(start_));
    line_.clear();
  }

 private:
  double Gops(const Task& task, int64_t cost) const {
    if (cost == 0) return 0;  // nothing ran
    return 2e-9 * static_cast<double>(task.macs) / (static_cast<double>(cost) * unit_.seconds);
  }
  std::string Line(const Task& task) const {
    int64_t tried = 0, last = 0;
    for (const Candidate& candidate : task.candidates)
      if (candidate.cost || !candidate.failure.empty()) {
        ++tried;
        last = candidate.cost.value_or(last);
      }
    const Candidate* const best = compiler::tune::Best(task.candidates);
    return fmt::format("[Task {:2}/{}]  Current/Best: {:7.2f}/{:7.2f} GFLOPS | Progress: ({}/{})",
                       number_, count_, Gops(task, last), best ? Gops(task, *best->cost) : 0, tried,
                       std::max(options_.trials, tried));
  }

  const SearchUnit unit_;
  const SearchOptions& options_;
  const int64_t count_;
  Progress& progress_;
  std::string workload_, line_;
  int64_t number_ = 0;
  Clock::time_point start_;
};

std::string ResultTable(const std::vector<Task>& tasks, int64_t untuned_trials) {
  TableRows rows = {{"task", "steps", "space", "tried", "untuned", "best", "bound", "gain %", ""}};
  int64_t untuned = 0, best = 0, bound = 0, tried = 0;
  const auto gain = [](int64_t before, int64_t after) {
    if (before == 0) return std::string();
    return fmt::format("{:.2f}",
                       100 * (1 - static_cast<double>(after) / static_cast<double>(before)));
  };
  for (const Task& task : tasks) {
    tried += task.tried;
    if (!task.candidates[task.chosen].cost) {
      rows.push_back({task.step, StrCat(task.steps), fmt::format("{:.1e}", task.size),
                      WithCommas(task.tried), "", "", WithCommas(task.bound), "",
                      task.candidates[0].failure});
      continue;
    }
    const int64_t before = *CostOfFirst(task, untuned_trials),
                  after = *task.candidates[task.chosen].cost;
    rows.push_back({task.step, StrCat(task.steps), fmt::format("{:.1e}", task.size),
                    WithCommas(task.tried), WithCommas(before), WithCommas(after),
                    WithCommas(task.bound), gain(before, after), EndOf(task)});
    untuned += before * task.steps, best += after * task.steps, bound += task.bound * task.steps;
  }
  rows.push_back({"all steps", "", "", WithCommas(tried), WithCommas(untuned), WithCommas(best),
                  WithCommas(bound), gain(untuned, best), ""});
  return FormatTable(rows, {false, true, true, true, true, true, true, true, false});
}

int Search(SearchOptions options, const std::string& compiler) {
  if (IsPackage(options.model.model))
    throw Error(options.model.model, "", "", "is a package: it is compiled already");
  options.trials = std::max(options.trials, TuneOptions::kEffort);
  const Searched searched = SearchedBy(options.model, options.engine);
  Progress progress(StrCat("tune ", options.model.model));
  options.model.progress = &progress;
  if (searched.target == "vta") options.model.cpus.clear();  // no code of theirs is of interest
  TaskCounter counter;
  options.model.choosers[searched.target] = &counter;
  OpenModel(options.model);
  if (counter.count() == 0)
    throw Error(options.model.model, "steps", "none", "of the network has a schedule to choose");
  compiler::tune::LogWriter writer(options.log);
  compiler::tune::LogLines known = compiler::tune::ReadLog(options.log);
  for (const std::string& line : known.left_out)
    Log(LogLevel::kWarning, StrCat("left out: ", line));

  const Clock::time_point start = Clock::now();
  BoostedTrees model;
  SearchLines lines(searched.unit, options, counter.count(), &progress);
  Tuner tuner(
      {.measurer = searched.measurer.get(),
       .trials = options.trials,
       .jobs = searched.jobs,
       .target = searched.target,
       .arch = searched.arch,
       .compiler = compiler,
       .log = std::move(known.entries),
       .writer = &writer,
       .model = &model,
       .on_batch = [&](const Task& task) { lines.Tell(task); },
       .stops = [&] { return options.budget_s && SecondsSince(start) > *options.budget_s; }});
  options.model.progress = nullptr;
  options.model.choosers[searched.target] = &tuner;
  OpenModel(options.model);
  lines.End();
  progress.Hide();
  if (!options.html.empty())
    WriteFileAtomically(options.html,
                        SearchPage({options.model.model, searched.on, searched.measurer->Name(),
                                    options.log, searched.unit.name, searched.untuned},
                                   tuner.tasks()));
  int64_t tried = 0;
  for (const Task& task : tuner.tasks()) tried += task.tried;
  const double seconds = SecondsSince(start);
  fmt::print("{}{}, {} in {:.1f} s, {:.0f} a second; {}\n",
             ResultTable(tuner.tasks(), searched.untuned), Counted(counter.count(), "task"),
             CountedWithCommas(tried, "trial"), seconds, static_cast<double>(tried) / seconds,
             Visible(options.log));
  return 0;
}

}  // namespace

std::function<int()> AddTuneCommand(CLI::App& app) {
  auto options = std::make_shared<SearchOptions>();
  options->model.AddTo(app);
  for (const char* other : {"--effort", "--log", "--cpu", "--dump-dir", "--memory-limit",
                            "--schedule-fallback", "--schedule"})
    app.remove_option(app.get_option(other));
  app.get_option("MODEL")->description("an ONNX or TensorFlow Lite model");
  options->engine.AddDeviceTo(app);
  app.option_defaults()->group("Searching");
  WritesFile(app.add_option("--log", options->log,
                            "what is tried is appended there, and what is there is not tried again")
                 ->required());
  WritesFile(app.add_option("--html", options->html,
                            "write each task's trials and best so far as a page for a browser"));
  app.add_option("--trials", options->trials,
                 StrCat("of each task; ", TuneOptions::kEffort, " at least"))
      ->check(IntegerFrom(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--budget", options->budget_s,
                 StrCat("seconds, after which no task tries more than its first ", Tuner::kBatch))
      ->check(NumberFrom(0.001, 1e9, "must be 0.001 to 1e9 seconds"));
  return [options, &app] {
    const std::string version = app.get_parent()->version();
    const uint64_t build = Hasher().Bytes(ReadFile("/proc/self/exe")).value();
    return Search(*options, StrCat(version.substr(0, version.find('\n')), ", ", Hex(build, 16)));
  };
}

}  // namespace vta::tools
