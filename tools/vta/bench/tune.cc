// vta bench tune: searches of known networks' schedules beside uniform samples of their spaces.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>

#include "compiler/tune/tuner.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/network_launches.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/session.h"
#include "tools/vta/common/trials/cycle_measurer.h"

namespace vta::tools {
namespace {

using compiler::tune::Candidate;
using compiler::tune::Offer;
using compiler::tune::Point;
using compiler::tune::Space;
using compiler::tune::Task;
using compiler::tune::Tuner;

struct BenchTuneOptions {
  std::vector<std::string> networks = {"resnet18"}, layers;
  std::string config = "default";
  int64_t trials = 256, samples = 2000, jobs = 0, seed = 1;
  bool json = false;
};

struct TunedTask {
  std::string step;
  int64_t steps = 1;
  double size = 0;
  int64_t untuned = 0, tuned = 0, sampled = 0, bound = 0;  // sampled: 0 where nothing was
};

struct TunedNetwork {
  std::string name;
  std::vector<TunedTask> tasks;
  int64_t trials = 0;
  int64_t drawn = 0;   // samples, of the space that gave the fewest
  double seconds = 0;  // of the search
};

/// A tuner that samples each space as well.
class SamplingTuner : public compiler::tune::Chooser {
 public:
  SamplingTuner(const BenchTuneOptions& options, const CycleMeasurer& measurer, int64_t jobs,
                const std::string& network, Progress* progress)
      : options_(options),
        measurer_(measurer),
        jobs_(jobs),
        network_(network),
        progress_(*progress),
        tuner_({.measurer = &measurer,
                .trials = std::max(options.trials, TuneOptions::kEffort),
                .jobs = jobs}) {}

  std::vector<Offer> Choose(const std::string& step, int64_t macs, const Space& space) override {
    const auto& layers = options_.layers;
    if (!layers.empty() && std::ranges::find(layers, step) == layers.end())
      return {{space.Cheapest(1)[0]}};
    met_.insert(step);
    progress_.At(StrCat(network_, ", ", step));
    const auto start = std::chrono::steady_clock::now();
    const size_t known = tuner_.tasks().size();
    std::vector<Offer> offers = tuner_.Choose(step, macs, space);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (tuner_.tasks().size() > known) sampled_.push_back(BestOfSamples(space));
    return offers;
  }

  /// Errors: throws Error naming a layer that was asked for and not met, or one without a program
  /// that runs.
  TunedNetwork Result() const {
    for (const std::string& layer : options_.layers)
      if (!met_.contains(layer))
        throw Error(network_, "layer", layer, "has no schedule to choose, or is none");
    TunedNetwork network{network_, {}, 0, least_drawn_, seconds_};
    for (size_t i = 0; i < tuner_.tasks().size(); ++i) {
      const Task& task = tuner_.tasks()[i];
      const std::optional<int64_t> tuned = task.candidates[task.chosen].cost;
      if (!tuned) throw Error(network_, task.step, "", task.candidates[0].failure);
      network.tasks.push_back({task.step, task.steps, task.size,
                               *CostOfFirst(task, TuneOptions::kEffort), *tuned, sampled_[i],
                               task.bound});
      network.trials += task.tried;
    }
    return network;
  }

 private:
  /// Draws points of the domains until so many have code, and costs those.
  int64_t BestOfSamples(const Space& space) {
    constexpr int64_t kMostDraws = 20'000'000;
    std::mt19937_64 random(static_cast<uint64_t>(options_.seed));
    std::vector<Point> points;
    for (int64_t draw = 0; std::ssize(points) < options_.samples && draw < kMostDraws; ++draw) {
      Point point;
      for (const compiler::tune::Choice& choice : space.Choices())
        point.push_back(choice.values[random() % choice.values.size()]);
      if (space.Has(point)) points.push_back(std::move(point));
    }
    least_drawn_ = std::min(least_drawn_, std::ssize(points));
    int64_t best = 0;
    for (std::span<const Point> left = points; !left.empty();) {
      const size_t count = std::min<size_t>(left.size(), Tuner::kBatch);
      std::vector<Candidate> candidates = CandidatesOf(space, left.first(count));
      left = left.subspan(count);
      MeasureAll(space, measurer_, jobs_, candidates);
      const Candidate* const cheapest = compiler::tune::Best(candidates);
      if (cheapest && (best == 0 || *cheapest->cost < best)) best = *cheapest->cost;
    }
    return best;
  }

  const BenchTuneOptions& options_;
  const CycleMeasurer& measurer_;
  const int64_t jobs_;
  const std::string network_;
  Progress& progress_;
  Tuner tuner_;
  std::set<std::string> met_;
  std::vector<int64_t> sampled_;
  int64_t least_drawn_ = options_.samples;
  double seconds_ = 0;
};

double OverBest(const TunedTask& task) {
  const int64_t best = task.sampled > 0 ? std::min(task.sampled, task.tuned) : task.tuned;
  return 100 * (static_cast<double>(task.tuned) / static_cast<double>(best) - 1);
}

std::string BenchTuneInJson(const std::vector<TunedNetwork>& networks, const isa::Config& config,
                            const BenchTuneOptions& options) {
  Json::Array list;
  for (const TunedNetwork& network : networks) {
    Json::Array tasks;
    for (const TunedTask& task : network.tasks)
      tasks.push_back(Json()
                          .Set("step", task.step)
                          .Set("steps", task.steps)
                          .Set("space", task.size)
                          .Set("untuned", task.untuned)
                          .Set("tuned", task.tuned)
                          .Set("sampled", task.sampled)
                          .Set("bound", task.bound));
    list.push_back(Json()
                       .Set("network", network.name)
                       .Set("tasks", std::move(tasks))
                       .Set("trials", network.trials)
                       .Set("drawn", network.drawn)
                       .Set("seconds", network.seconds));
  }
  return HeadOf(kBenchTuneDocument)
             .Set("config", config.name)
             .Set("timing_hash", Hex(isa::TimingHash(config), 16))
             .Set("trials", options.trials)
             .Set("samples", options.samples)
             .Set("seed", options.seed)
             .Set("networks", std::move(list))
             .Dump() +
         "\n";
}

std::string BenchTuneInWords(const TunedNetwork& network, const isa::Config& config) {
  TableRows rows = {{"task", "steps", "space", "untuned", "tuned", "gain %", "best sample",
                     "over best %", "bound"}};
  double worst = 0;
  for (const TunedTask& task : network.tasks) {
    const double gain =
        100 * (1 - static_cast<double>(task.tuned) / static_cast<double>(task.untuned));
    worst = std::max(worst, OverBest(task));
    rows.push_back({task.step, StrCat(task.steps), fmt::format("{:.1e}", task.size),
                    WithCommas(task.untuned), WithCommas(task.tuned), fmt::format("{:.2f}", gain),
                    task.sampled > 0 ? WithCommas(task.sampled) : "",
                    fmt::format("{:.2f}", OverBest(task)), WithCommas(task.bound)});
  }
  std::string text =
      fmt::format("{} on {}\n{}{} in {:.1f} s, {:.0f} a second", network.name, config.name,
                  FormatTable(rows, {false, true, true, true, true, true, true, true, true}),
                  CountedWithCommas(network.trials, "trial"), network.seconds,
                  static_cast<double>(network.trials) / network.seconds);
  if (network.drawn > 0)
    text += fmt::format("; beside {} of each space, none is over the best by more than {:.2f} %",
                        CountedWithCommas(network.drawn, "uniform sample"), worst);
  return text + "\n";
}

int BenchTune(const BenchTuneOptions& options, const isa::ConfigLoader& load) {
  const isa::Config config = load(options.config);
  const CycleMeasurer measurer(config);
  Progress progress("bench tune");
  std::vector<TunedNetwork> networks;
  for (const std::string& name : options.networks) {
    SamplingTuner tuner(options, measurer, JobsOf({.jobs = options.jobs}), name, &progress);
    PackageOf(name, config, compiler::targets::Hiding::kAny, &tuner);
    networks.push_back(tuner.Result());
  }
  progress.Hide();
  if (options.json) {
    fmt::print("{}", BenchTuneInJson(networks, config, options));
    return 0;
  }
  for (const TunedNetwork& network : networks)
    fmt::print("{}{}", &network == &networks[0] ? "" : "\n", BenchTuneInWords(network, config));
  return 0;
}

}  // namespace

std::function<int()> AddBenchTune(CLI::App& app) {
  auto options = std::make_shared<BenchTuneOptions>();
  AddNetworksTo(app, &options->networks, &options->config);
  app.add_option("--layer", options->layers, "only the tasks of these layers, by their names");
  app.add_option("--trials", options->trials,
                 StrCat("of each task's search; ", TuneOptions::kEffort, " at least"))
      ->check(IntegerFrom(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--samples", options->samples, "points of each space, drawn uniformly")
      ->check(IntegerFrom(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--seed", options->seed, "of these draws")
      ->check(IntegerFrom(0, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--jobs", options->jobs, "trials at once; all processors")
      ->check(IntegerFrom(1, 1024));
  app.add_flag("--json", options->json, "print for machines");
  return [options, &app] { return BenchTune(*options, ConfigsBeside(app)); };
}

}  // namespace vta::tools
