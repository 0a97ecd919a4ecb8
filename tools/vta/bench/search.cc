// vta bench search: searches of a network's kernels by a cost model beside random ones, at equal
// trials.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "compiler/models/models.h"
#include "compiler/tune/log.h"
#include "compiler/tune/proposer.h"
#include "compiler/tune/tuner.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "isa/support/temporary.h"
#include "tools/report/table.h"
#include "tools/search/boosted_trees.h"
#include "tools/shared/log.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/bench/searches.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/session.h"
#include "tools/vta/common/trials/native_cpu.h"
#include "tools/vta/common/trials/native_measurer.h"

namespace vta::tools {
namespace {

using compiler::tune::Candidate;
using compiler::tune::Examples;
using compiler::tune::LogEntry;
using compiler::tune::LogKey;
using compiler::tune::Point;
using compiler::tune::Proposer;
using compiler::tune::Space;
using compiler::tune::Tuner;

struct BenchSearchOptions {
  std::string network = "resnet18", type = "float", log;
  std::vector<std::string> layers;
  int64_t trials = 64, seeds = 3;
};

/// Costs of points, each measured once and kept in a log: all searches see the same ones.
class KeptCosts {
 public:
  KeptCosts(const std::string& log, const compiler::lower::CpuSpec& cpu)
      : measurer_(cpu, AllowedCores().back()), arch_(HashOf(cpu)), writer_(log) {
    compiler::tune::LogLines lines = compiler::tune::ReadLog(log);
    for (const std::string& line : lines.left_out)
      Log(LogLevel::kWarning, StrCat("left out: ", line));
    for (LogEntry& entry : lines.entries)
      if (IsOf(measurer_, entry)) kept_[{entry.key, entry.point}] = std::move(entry);
  }

  void Measure(const std::string& step, const Space& space, std::span<Candidate> candidates) {
    const LogKey key{"cpu", space.Workload(), arch_, SpaceHash(space)};
    std::vector<LogEntry> fresh;
    for (Candidate& candidate : candidates) {
      const std::string point = Print(space.Choices(), candidate.point);
      const auto [kept, is_fresh] = kept_.try_emplace({key, point});
      if (is_fresh) {
        MeasureAll(space, measurer_, 1, {&candidate, 1});
        kept->second = {key,
                        measurer_.Name(),
                        measurer_.Hash(),
                        "",
                        step,
                        point,
                        candidate.estimate,
                        candidate.cost,
                        candidate.failure};
        fresh.push_back(kept->second);
      }
      candidate.cost = kept->second.cost, candidate.failure = kept->second.failure;
    }
    measured_ += std::ssize(fresh);
    writer_.Append(fresh);
  }
  int64_t measured() const { return measured_; }

 private:
  const NativeMeasurer measurer_;
  const uint64_t arch_;
  compiler::tune::LogWriter writer_;
  std::map<std::pair<LogKey, std::string>, LogEntry> kept_;
  int64_t measured_ = 0;
};

/// Of searches the cost of the best of the first 16, 32, and so on.
using Curve = std::vector<double>;

/// Each the mean of the seeds.
struct SearchedTask {
  std::string step;
  int64_t points = 0;
  double best = 0;  // of all that were tried
  Curve random, learned, warmed;
  /// Of pairs of the random trials what the model orders as costs do: by the tasks before, and
  /// after the search those that it had not tried.
  double ranked_before = 0, ranked = 0;
};

Curve CurveOf(std::span<const Candidate> candidates) {
  Curve curve;
  for (size_t end = Tuner::kBatch; end < candidates.size() + Tuner::kBatch; end += Tuner::kBatch) {
    const Candidate* const best =
        compiler::tune::Best(candidates.first(std::min(end, candidates.size())));
    curve.push_back(best ? static_cast<double>(*best->cost) : NAN);
  }
  return curve;
}

void AddMean(const Curve& curve, int64_t seeds, Curve* sum) {
  sum->resize(curve.size());
  for (size_t i = 0; i < curve.size(); ++i) (*sum)[i] += curve[i] / static_cast<double>(seeds);
}

/// Searches each space as it is met.
class SearchingChooser : public compiler::tune::Chooser {
 public:
  SearchingChooser(const BenchSearchOptions& options, KeptCosts* costs, Progress* progress)
      : options_(options), costs_(*costs), progress_(*progress), known_(options.seeds) {}

  std::vector<compiler::tune::Offer> Choose(const std::string& step, int64_t,
                                            const Space& space) override {
    const auto& layers = options_.layers;
    const bool is_asked_for = layers.empty() || std::ranges::find(layers, step) != layers.end();
    met_.insert(step);
    if (is_asked_for && workloads_.insert(space.Workload()).second) Search(step, space);
    return {{space.Cheapest(1)[0]}};
  }
  /// Errors: throws Error naming a layer that was asked for and not met.
  const std::vector<SearchedTask>& tasks() const {
    for (const std::string& layer : options_.layers)
      if (!met_.contains(layer))
        throw Error(options_.network, "layer", layer, "has no schedule to choose, or is none");
    return tasks_;
  }

 private:
  void Search(const std::string& step, const Space& space) {
    constexpr int64_t kMost = 1'000'000;
    const std::vector<Point> all = space.Cheapest(kMost);
    const SearchedSpace searched{space, options_.trials, [&](std::span<Candidate> candidates) {
                                   costs_.Measure(step, space, candidates);
                                 }};
    SearchedTask task{step, std::ssize(all)};
    std::vector<Candidate> tried;
    for (int64_t seed = 0; seed < options_.seeds; ++seed) {
      progress_.At(StrCat(step, ", seed ", seed + 1));
      std::vector<Candidate> random = SearchAtRandom(searched, all, static_cast<uint64_t>(seed));
      const std::vector<Candidate> first =
          CandidatesOf(space, FirstPoints(space, std::min(options_.trials, Tuner::kBatch),
                                          static_cast<uint64_t>(seed)));
      BoostedTrees alone, warm;
      Proposer proposer(space, &alone, static_cast<uint64_t>(seed), 1);
      const std::vector<Candidate> learned = SearchByModel(searched, first, {}, &proposer);
      Proposer warmed(space, &warm, static_cast<uint64_t>(seed), 1);
      proposer.Describe(random);
      std::vector<Examples>& known = known_[static_cast<size_t>(seed)];
      const double mean = 1 / static_cast<double>(options_.seeds);
      task.ranked_before += mean * RankedBy(known, random);
      task.ranked += mean * RankedBy({ExamplesOf(learned)}, Without(random, learned));
      const std::vector<Candidate> after = SearchByModel(searched, first, known, &warmed);
      known.push_back(ExamplesOf(learned));
      AddMean(CurveOf(random), options_.seeds, &task.random);
      AddMean(CurveOf(learned), options_.seeds, &task.learned);
      AddMean(CurveOf(after), options_.seeds, &task.warmed);
      for (const auto* list : {&std::as_const(random), &learned, &after})
        tried.insert(tried.end(), list->begin(), list->end());
    }
    const Candidate* const best = compiler::tune::Best(tried);
    task.best = best ? static_cast<double>(*best->cost) : NAN;
    tasks_.push_back(std::move(task));
  }

  const BenchSearchOptions& options_;
  KeptCosts& costs_;
  Progress& progress_;
  std::set<std::string> workloads_, met_;
  std::vector<std::vector<Examples>> known_;  // of each seed, of the tasks before
  std::vector<SearchedTask> tasks_;
};

/// How much over the best known the curve is. Units: hundredths.
std::string Over(const Curve& curve, double best) {
  std::string text;
  for (const double cost : curve) text += fmt::format("{:6.1f}", 100 * (cost / best - 1));
  return text;
}

std::string BenchSearchInWords(const std::vector<SearchedTask>& tasks) {
  TableRows rows = {{"task", "points", "best us", "random, over best %", "by the model",
                     "warmed by tasks before", "ranked before %", "after %"}};
  std::vector<int64_t> wins;
  for (const SearchedTask& task : tasks) {
    rows.push_back({task.step, WithCommas(task.points), fmt::format("{:.1f}", task.best / 1e3),
                    Over(task.random, task.best), Over(task.learned, task.best),
                    Over(task.warmed, task.best), fmt::format("{:.1f}", 100 * task.ranked_before),
                    fmt::format("{:.1f}", 100 * task.ranked)});
    wins.resize(std::max(wins.size(), task.learned.size()));
    for (size_t i = 0; i < wins.size(); ++i) {
      const auto at = [i](const Curve& curve) { return curve[std::min(i, curve.size() - 1)]; };
      wins[i] += at(task.learned) < at(task.random);
    }
  }
  std::string text = FormatTable(rows, {false, true, true, true, true, true, true, true});
  for (size_t i = 0; i < wins.size(); ++i)
    text += fmt::format("{}{} after {}", i == 0 ? "the model's search is ahead in " : ", ", wins[i],
                        (i + 1) * Tuner::kBatch);
  return text + " trials";
}

int BenchSearch(const BenchSearchOptions& options) {
  const compiler::lower::CpuSpec cpu = NativeCpu();
  Progress progress(StrCat("bench search ", options.network));
  KeptCosts costs(options.log, cpu);
  SearchingChooser chooser(options, &costs, &progress);
  const Temporary folder(NewTemporaryFolder("vta-network"));
  ModelOptions model;
  model.model = folder.path() + "/model.onnx";
  for (const compiler::ModelTypeInfo& type : compiler::kModelTypes)
    if (type.name == options.type) compiler::BuildModel(options.network, 1, model.model, type.type);
  model.targets = "cpu";
  model.choosers["cpu"] = &chooser;
  OpenModel(model);
  progress.Hide();
  fmt::print("{} {} on {}\n{} of {}, {} now; {}\n", options.network, options.type, ThisCpu().name,
             BenchSearchInWords(chooser.tasks()), Counted(chooser.tasks().size(), "task"),
             CountedWithCommas(costs.measured(), "trial"), Visible(options.log));
  return 0;
}

}  // namespace

std::function<int()> AddBenchSearch(CLI::App& app) {
  auto options = std::make_shared<BenchSearchOptions>();
  std::vector<std::string> names;
  for (const auto& known : compiler::KnownModels()) names.emplace_back(known.name);
  app.add_option("NAME", options->network, StrCat("of ", Listed(names)))
      ->check(OneOf(names))
      ->capture_default_str();
  std::vector<std::string> types;
  for (const compiler::ModelTypeInfo& type : compiler::kModelTypes) types.emplace_back(type.name);
  app.add_option("--type", options->type, "what the network computes in")
      ->check(OneOf(types))
      ->capture_default_str();
  app.add_option("--layer", options->layers, "only the tasks of these layers, by their names");
  WritesFile(app.add_option("--log", options->log,
                            "costs are appended there, and those of there are not measured again")
                 ->required());
  app.add_option("--trials", options->trials, "of each search")
      ->check(IntegerFrom(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--seeds", options->seeds, "searches of each kind, of each task")
      ->check(IntegerFrom(1, 1000))
      ->capture_default_str();
  return [options] { return BenchSearch(*options); };
}

}  // namespace vta::tools
