#include "tools/vta/tune/search.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <set>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "tools/report/table.h"
#include "tools/search/boosted_trees.h"
#include "tools/shared/log.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/farm/kinds.h"
#include "tools/vta/common/farm/machine.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/trials/batch.h"
#include "tools/vta/common/trials/cycle_measurer.h"
#include "tools/vta/common/trials/device_measurer.h"
#include "tools/vta/common/trials/gpu_measurer.h"
#include "tools/vta/common/trials/gpu_trial.h"
#include "tools/vta/common/trials/native_cpu.h"
#include "tools/vta/common/trials/native_measurer.h"
#include "tools/vta/tune/elsewhere.h"
#include "tools/vta/tune/farmed.h"

namespace vta::tools {

using compiler::tune::Candidate;
using compiler::tune::LogEntry;
using compiler::tune::LogKey;
using compiler::tune::Space;
using compiler::tune::Task;
using compiler::tune::Tuner;
using compiler::tune::TunerOptions;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kTrials = 256, kExported = Tuner::kBatch;  // where it is not said

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A log has one search at a time.
std::string OwnerOf(const std::string& log) { return std::filesystem::canonical(log); }

/// Nothing where there is no log yet.
std::vector<LogEntry> ReadKnown(const std::string& log) {
  return std::filesystem::exists(log) ? compiler::tune::ReadLog(log).entries
                                      : std::vector<LogEntry>();
}

SearchUnit CyclesOf(const isa::Config& config) {
  return {"cycles", 1e-6 / static_cast<double>(config.uarch.clock_mhz)};
}

void RefuseJobs(const ModelOptions& options) {
  if (options.tune.jobs > 0)
    throw UsageError("--jobs", "", StrCat(options.tune.jobs),
                     "is of the cycle model's trials; what is measured runs one after the other");
}

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

}  // namespace

/// What a search is of.
struct Search::Searched {
  std::unique_ptr<compiler::tune::Measurer> measurer;  // none of what is elsewhere
  std::string target, on;                              // `on`: for people
  uint64_t arch = 0;
  SearchUnit unit;
  int64_t jobs = 1;
  int64_t untuned = 1;  // trials after which a compile without a log takes the best
  std::optional<farm::Machine> machine = std::nullopt;  // of a farm
};

/// Trials that end where the work is asked to.
struct Search::Stoppable : compiler::tune::Measurer {
  Stoppable(const Measurer& measurer, const Progress& progress)
      : measurer(measurer), progress(progress) {}
  std::string Name() const override { return measurer.Name(); }
  uint64_t Hash() const override { return measurer.Hash(); }
  std::string Machine() const override { return measurer.Machine(); }
  bool is_noisy() const override { return measurer.is_noisy(); }
  int64_t Measure(const compiler::tune::Trial& trial) const override {
    progress.RequireGoingOn();
    return measurer.Measure(trial);
  }
  const Measurer& measurer;
  const Progress& progress;
};

/// A server of devices and one of farms are shown the same.
TuningOptions Search::WithCredentials(TuningOptions options) {
  options.farm.credentials = options.engine.credentials;
  return options;
}

Search::Searched Search::SearchedElsewhere(const TuningOptions& options) {
  const isa::GpuRow* const kind = isa::FindGpu(options.model.targets);
  const char* const option = options.batch.empty() ? "--import" : "--export";
  if (!kind)
    throw UsageError(option, "", options.batch.empty() ? options.results : options.batch,
                     "is of trials on a GPU: --target cuda, or opencl");
  if (!options.engine.device.empty())
    throw UsageError("--device", "", options.engine.device,
                     StrCat("is for vta measure to say: with ", option, " nothing runs here"));
  if (options.budget_s)
    throw UsageError("--budget", "", StrCat(*options.budget_s),
                     StrCat("is of trials that are made here: with ", option, " there are none"));
  return {nullptr,           std::string(kind->name),
          "a GPU elsewhere", HashOf(GpuSpecs(*kind).back()),
          kNanoseconds,      JobsOf(options.model.tune)};
}

Search::Searched Search::SearchedThere(const TuningOptions& options) const {
  const ModelOptions& model = options.model;
  RefuseJobs(model);
  const std::string target = model.targets == "vta,cpu" ? "vta" : model.targets;
  std::string last;
  for (const LogEntry& entry : ReadKnown(options.log))
    if (entry.key.target == target && !entry.machine.empty()) last = entry.machine;
  std::optional<isa::Config> config;
  if (target == "vta") config = model.own_config ? *model.own_config : FindConfig(model.config);
  MachineWanted wanted{.build = compiler_, .target = target, .name = options.machine, .last = last};
  if (config) wanted.arch = isa::ArchHash(*config);
  const farm::Machine machine = PickMachine(options.farm, wanted);
  Searched searched{std::make_unique<FarmMachine>(machine), target, Words(machine), machine.arch,
                    config ? CyclesOf(*config) : kNanoseconds};
  if (config) searched.untuned = TuneOptions::kEffort;
  searched.machine = machine;
  return searched;
}

Search::Searched Search::SearchedBy(const ModelOptions& options, const EngineOptions& engine) {
  if (!options.targets.starts_with("vta")) RefuseJobs(options);
  if (engine.is_named() && !options.targets.starts_with("vta"))
    throw UsageError("--measure", "", engine.name,
                     "is of the accelerator's programs: --target vta, or vta,cpu");
  if (const isa::GpuRow* const kind = isa::FindGpu(options.targets)) {
    auto measurer =
        std::make_unique<GpuMeasurer>(*kind, engine.DeviceOf(*kind), GpuMeasurer::kLimitS,
                                      *isa::FindPrecision(options.precision));
    const std::string gpu = measurer->gpu();
    // One is measured at a time, while code of others is made; but not by the processors that are
    // the device.
    const int64_t jobs = kind->format == isa::kPtxFormat ? GpuMeasurer::Jobs() : 1;
    return {std::move(measurer),
            std::string(kind->name),
            gpu,
            HashOf(GpuSpecs(*kind).back()),
            kNanoseconds,
            jobs};
  }
  if (options.targets == "cpu") {
    const compiler::lower::CpuSpec cpu = NativeCpu();
    // One after the other: trials beside each other take longer.
    return {std::make_unique<NativeMeasurer>(cpu, AllowedCores().back()), "cpu", ThisCpu().name,
            HashOf(cpu), kNanoseconds};
  }
  const isa::Config config = options.own_config ? *options.own_config : FindConfig(options.config);
  if (engine.is_named())  // one after the other: there is one
    return {std::make_unique<DeviceMeasurer>(engine, config),
            "vta",
            StrCat(config.name, " on ", engine.name),
            isa::ArchHash(config),
            CyclesOf(config),
            1,
            TuneOptions::kEffort};
  return {std::make_unique<CycleMeasurer>(config),
          "vta",
          config.name,
          isa::ArchHash(config),
          CyclesOf(config),
          JobsOf(options.tune),
          TuneOptions::kEffort};
}

Search::Searched Search::SearchedOf(const TuningOptions& options) const {
  if (const std::string& targets = options.model.targets;
      targets.find(',') != std::string::npos && targets != "vta,cpu" && !options.is_elsewhere())
    throw UsageError("--target", "", targets,
                     "is of several: a search is of one target, or of vta,cpu");
  for (const auto& [option, value] :
       {std::pair("--measure", options.engine.name), std::pair("--device", options.engine.device)})
    if (!options.farm.url.empty() && !value.empty() && value != EngineOptions().name)
      throw UsageError(option, "", value,
                       "is of trials that are made here: with --farm, --machine names what "
                       "measures them");
  if (!options.model.graph && IsPackage(options.model.model))
    throw Error(options.model.model, "", "", "is a package: it is compiled already");
  if (options.is_elsewhere()) return SearchedElsewhere(options);
  return options.is_measured_there() ? SearchedThere(options)
                                     : SearchedBy(options.model, options.engine);
}

Search::Search(TuningOptions options, std::string compiler, Progress* progress, Say say)
    : options_(WithCredentials(std::move(options))),
      compiler_(std::move(compiler)),
      progress_(*progress),
      say_(std::move(say)),
      searched_(std::make_unique<Searched>(SearchedOf(options_))) {
  TaskFinder finder(searched_->target, searched_->arch, options_.results,
                    options_.farm.url.empty() || searched_->machine ? 0 : TrialsOr(kTrials));
  options_.model.progress = &progress_;
  if (searched_->target == "vta") options_.model.cpus.clear();  // no code of theirs is of interest
  if (const auto& there = searched_->machine; there && !there->cpu.empty())
    options_.model.own_cpu = compiler::lower::CpuSpec{there->cpu, there->features, there->tune};
  options_.model.choosers[searched_->target] = &finder;
  OpenModel(options_.model);
  if (finder.count() == 0)
    throw Error(options_.model.model, "steps", "none", "of the network has a schedule to choose");
  count_ = finder.count();
  tasks_ = std::move(finder.tasks());
  results_ = finder.Results();
  writer_.emplace(options_.log);
  compiler::tune::LogLines known = compiler::tune::ReadLog(options_.log);
  for (const std::string& line : known.left_out)
    Log(LogLevel::kWarning, StrCat("left out: ", line));
  known_ = std::move(known.entries);
  progress_.Hide();
}

Search::~Search() = default;

const isa::GpuRow& Search::kind() const { return *isa::FindGpu(searched_->target); }

int64_t Search::TrialsOr(int64_t otherwise) const {
  return std::max(options_.trials.value_or(otherwise), TuneOptions::kEffort);
}

SearchResult Search::Run() { return options_.is_elsewhere() ? Elsewhere() : Here(); }

SearchResult Search::Here() {
  const Clock::time_point start = Clock::now();
  const int64_t trials = TrialsOr(kTrials);
  const auto is_over = [&] {
    return options_.budget_s && SecondsSince(start) > *options_.budget_s;
  };
  std::map<LogKey, int64_t> farmed;
  std::optional<FarmSearch> farm;
  std::optional<MeasuredTrials> measured;
  if (searched_->machine) {
    farm.emplace(options_.farm, StudyOf(), OwnerOf(options_.log));
    measured.emplace(&*farm, &progress_);
  } else if (!options_.farm.url.empty()) {
    farmed = OnFarm(is_over);
  }
  SearchLines lines(searched_->unit, count_, &progress_, say_);
  TunerOptions tuning{.trials = trials,
                      .on_batch = [&](const Task& task) { lines.Tell(task, trials); },
                      .stops = is_over};
  if (measured)
    tuning.tries = [&](const Space& space, std::span<Candidate> candidates) {
      measured->Try(space, candidates);
    };
  SearchResult result = Tune(std::move(tuning));
  lines.End();
  progress_.Hide();
  if (farm) SayTally(farm->tally());
  int64_t tried = 0;
  for (Task& task : result.tasks) tried += task.tried += farmed[task.key];
  const double seconds = SecondsSince(start);
  result.text = fmt::format("{}{}, {} in {:.1f} s, {:.0f} a second; {}\n",
                            ResultTable(result.tasks, searched_->untuned), Counted(count_, "task"),
                            CountedWithCommas(tried, "trial"), seconds,
                            static_cast<double>(tried) / seconds, Visible(options_.log));
  return result;
}

std::map<LogKey, int64_t> Search::OnFarm(const std::function<bool()>& is_over) {
  FarmSearch farm(options_.farm, StudyOf(), OwnerOf(options_.log));
  FarmedTrials trials(
      {&tasks_, &known_, &*writer_, searched_->measurer.get(), &progress_, compiler_, is_over});
  trials.Run(&farm);
  progress_.Hide();
  SayTally(farm.tally());
  return trials.tried();
}

farm::Study Search::StudyOf() const {
  return TuneStudy(options_.model, {.target = searched_->target,
                                    .tasks = count_,
                                    .build = compiler_,
                                    .machine = searched_->machine});
}

void Search::SayTally(const FarmTally& tally) const {
  if (searched_->machine) say_(StrCat("measured on ", Visible(searched_->on), "\n"));
  say_(fmt::format("{}: {} in {} messages by {}; {} sent again, {} set aside\n", options_.farm.url,
                   CountedWithCommas(tally.jobs, "trial"), WithCommas(tally.batches),
                   Counted(tally.workers, "worker"), WithCommas(tally.again),
                   WithCommas(tally.set_aside)));
}

SearchResult Search::Elsewhere() {
  if (!options_.results.empty()) Import();
  searched_->measurer = std::make_unique<GpuElsewhere>(kind(), known_);
  SearchResult result = options_.batch.empty() ? Tune({}) : Export();
  if (options_.results.empty()) return result;
  for (Task& task : result.tasks) task.tried = TriedOf(task);
  result.text = ResultTable(result.tasks, searched_->untuned);
  return result;
}

SearchResult Search::Tune(TunerOptions tuning) {
  BoostedTrees model;
  const Stoppable measurer(*searched_->measurer, progress_);
  tuning.measurer = &measurer;
  tuning.jobs = searched_->jobs;
  tuning.target = searched_->target;
  tuning.arch = searched_->arch;
  tuning.compiler = compiler_;
  tuning.log = std::move(known_);
  tuning.writer = &*writer_;
  tuning.model = &model;
  Tuner tuner(std::move(tuning));
  options_.model.progress = nullptr;
  options_.model.choosers[searched_->target] = &tuner;
  OpenModel(options_.model);
  const SearchFacts facts{options_.model.model, searched_->on,        measurer.Name(),
                          options_.log,         searched_->unit.name, searched_->untuned};
  if (!options_.html.empty()) WriteFileAtomically(options_.html, SearchPage(facts, tuner.tasks()));
  return {facts, tuner.tasks(), ""};
}

/// Appends those of the results that the log does not have.
void Search::Import() {
  std::set<std::string> lines;
  for (const LogEntry& entry : known_) lines.insert(Print(entry));
  std::vector<LogEntry> fresh;
  for (const LogEntry& entry : results_)
    if (lines.insert(Print(entry)).second) fresh.push_back(entry);
  writer_->Append(fresh);
  std::ranges::copy(fresh, std::back_inserter(known_));
  say_(fmt::format("{}, {} of them new; {}\n", CountedWithCommas(std::ssize(results_), "result"),
                   WithCommas(std::ssize(fresh)), Visible(options_.log)));
}

SearchResult Search::Export() {
  const Clock::time_point start = Clock::now();
  SearchLines lines(searched_->unit, count_, &progress_, say_);
  Batch batch{options_.model.model, searched_->target, {}};
  int64_t exported = 0;
  const auto add = [&](const Space& space, const Task& task, std::span<const Candidate> untried) {
    lines.Tell(task, TriedOf(task) + std::ssize(untried));
    AddToBatch(kind(), *isa::FindPrecision(options_.model.precision), space, task, untried,
               compiler_, searched_->jobs, &batch);
    exported += std::ssize(untried);
  };
  SearchResult result = Tune({.trials = TrialsOr(kExported), .exports = add});
  lines.End();
  progress_.Hide();
  if (exported == 0)
    throw Error(options_.model.model, "candidates", "", "are all in the log: none is left");
  WriteBatch(batch, options_.batch);
  say_(fmt::format("{}, {} in {:.1f} s; {}\n", Counted(count_, "task"),
                   CountedWithCommas(exported, "candidate"), SecondsSince(start),
                   Visible(options_.batch)));
  return result;
}

bool TuningOptions::is_measured_there() const {
  return !farm.url.empty() && (!machine.empty() || !model.targets.starts_with("vta"));
}

void TuningOptions::AddTo(CLI::App& app) {
  model.AddTo(app);
  model.AddThreadsTo(app);
  for (const char* other : {"--effort", "--log", "--cpu", "--dump-dir", "--memory-limit",
                            "--schedule-fallback", "--schedule"})
    app.remove_option(app.get_option(other));
  app.get_option("MODEL")->description("an ONNX or TensorFlow Lite model");
  engine.AddDeviceTo(app);
  engine.AddMeasureTo(app);
  app.option_defaults()->group("Searching");
  WritesFile(app.add_option("--log", log,
                            "what is tried is appended there, and what is there is not tried again")
                 ->required());
  WritesFile(app.add_option("--html", html,
                            "write each task's trials and best so far as a page for a browser"));
  app.add_option("--trials", trials,
                 StrCat("of each task, ", TuneOptions::kEffort, " at least: in all, ", kTrials,
                        "; or in the batch of an --export, ", kExported))
      ->check(IntegerFrom(1, 1'000'000));
  app.add_option("--budget", budget_s,
                 StrCat("seconds, after which no task tries more than its first ", Tuner::kBatch))
      ->check(NumberFrom(0.001, 1e9, "must be 0.001 to 1e9 seconds"));
  WritesFile(app.add_option("--export", batch,
                            "try nothing: write what is to be tried next as a batch, for vta "
                            "measure where the GPU is"));
  CLI::Option* const from =
      ReadsFile(app.add_option("--import", results,
                               "append what vta measure wrote of a batch to the log, before an "
                               "--export"));
  farm.AddTo(app);
  app.add_option("--machine", machine,
                 "of the farm, by the name that its worker says, on which trials are measured: "
                 "where there are several models, and with --target vta in place of the cycle "
                 "model")
      ->needs(app.get_option("--farm"))
      ->group("Other machines")
      ->type_name("NAME");
  for (CLI::Option* const other : {from, app.get_option("--export")})
    other->excludes(app.get_option("--farm"));
}

}  // namespace vta::tools
