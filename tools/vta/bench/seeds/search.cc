// Tables of vta bench seeds about searches of schedules: what they find beside the rule and beside
// chance, what their cost model knows, and what each of their parts gives.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "compiler/tune/chooser.h"
#include "compiler/tune/proposer.h"
#include "compiler/tune/tuner.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/search/boosted_trees.h"
#include "tools/vta/bench/searches.h"
#include "tools/vta/bench/seeds/network.h"
#include "tools/vta/bench/seeds/seeds.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/trials/cycle_measurer.h"
#include "tools/vta/common/trials/gpu_measurer.h"
#include "tools/vta/common/trials/native_cpu.h"
#include "tools/vta/common/trials/native_measurer.h"

namespace vta::tools {
namespace {

using compiler::tune::Candidate;
using compiler::tune::Examples;
using compiler::tune::Measurer;
using compiler::tune::Point;
using compiler::tune::Proposer;
using compiler::tune::ProposerParts;
using compiler::tune::Space;
using compiler::tune::Tuner;

constexpr double kAlike = 1.03;  // times of a network that was measured twice differ by so much

/// What is computed, without what is fused into it and how: the sizes alone.
std::string ShapeOf(const std::string& workload) {
  size_t begin = workload.find(' ');
  while (begin != std::string::npos && !std::isdigit(workload[begin + 1]))
    begin = workload.find(' ', begin + 1);
  return begin == std::string::npos ? workload
                                    : workload.substr(begin, workload.rfind(" 0x") - begin);
}

/// Points at random, of spaces that are too large for all of them.
std::vector<Point> DrawnPoints(const Space& space, int64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Point> drawn;
  for (int64_t i = 0; i < count; ++i)
    if (std::optional<Point> point = DrawPoint(space, random)) drawn.push_back(*point);
  return drawn;
}

/// Costs of one space, each measured once.
class OnceMeasured {
 public:
  OnceMeasured(const Space& space, const Measurer& measurer) : space_(space), measurer_(measurer) {}

  void operator()(std::span<Candidate> candidates) {
    for (Candidate& candidate : candidates) {
      const auto [known, is_fresh] = known_.try_emplace(candidate.point);
      if (is_fresh) {
        MeasureAll(space_, measurer_, 1, {&candidate, 1});
        candidate.program.reset();  // which takes memory
        known->second = {candidate.cost, candidate.failure};
      }
      candidate.cost = known->second.first, candidate.failure = known->second.second;
    }
  }

 private:
  const Space& space_;
  const Measurer& measurer_;
  std::map<Point, std::pair<std::optional<int64_t>, std::string>> known_;
};

/// A search's best, and after how many trials it had that.
struct BestTrial {
  double cost = INFINITY;
  size_t trials = 0;
};

BestTrial BestTrialOf(std::span<const Candidate> candidates) {
  BestTrial best;
  for (size_t i = 0; i < candidates.size(); ++i)
    if (const auto& cost = candidates[i].cost; cost && static_cast<double>(*cost) < best.cost)
      best = {static_cast<double>(*cost), i + 1};
  return best;
}

/// The best of the first trial, of the first two, and so on: their mean.
double MeanBest(std::span<const Candidate> candidates, int64_t trials) {
  double best = INFINITY, sum = 0;
  int64_t counted = 0;
  for (size_t i = 0; std::cmp_less(i, trials); ++i) {
    if (i < candidates.size() && candidates[i].cost)
      best = std::min(best, static_cast<double>(*candidates[i].cost));
    if (std::isfinite(best)) sum += best, ++counted;
  }
  return counted > 0 ? sum / static_cast<double>(counted) : INFINITY;
}

struct ComparedTask {
  std::string step;
  BestTrial rule, searched, alike;  // `alike`: where the best is picked, however alike
  double random = 0;                // the best of a search at random, the mean of some
  double curve = 0, random_curve = 0;
  std::vector<std::vector<Candidate>> at_random;  // described, where costs need a model
  std::vector<Candidate> tried;                   // so too
};

/// A target that schedules are searched for.
struct SearchedTarget {
  std::string name;
  const Measurer& measurer;
  bool has_large_spaces;  // not all points of which can be ranked
  double unit;            // of the table's costs, in the measurer's
};

/// Searches the first space of each shape that is multiplied.
class ComparedTasks : public compiler::tune::Chooser {
 public:
  ComparedTasks(const std::string& network, const SearchedTarget& target, int64_t trials,
                Progress* progress)
      : title_(StrCat(network, " on ", target.name)),
        target_(target),
        measurer_(target.measurer),
        trials_(trials),
        progress_(*progress) {}

  std::vector<compiler::tune::Offer> Choose(const std::string& step, int64_t macs,
                                            const Space& space) override {
    if (macs > 0 && shapes_.insert(ShapeOf(space.Workload())).second) Search(step, space);
    return {{space.Cheapest(1)[0]}};
  }
  const std::vector<ComparedTask>& tasks() const { return tasks_; }
  /// What was found, by shape.
  const std::map<std::string, Point>& found() const { return found_; }

 private:
  void Search(const std::string& step, const Space& space) {
    progress_.At(StrCat("tuned, ", title_, ", ", step));
    OnceMeasured once(space, measurer_);
    const SearchedSpace searched{space, trials_, std::ref(once)};
    ComparedTask& task = tasks_.emplace_back(step);
    BoostedTrees model;
    Proposer proposer(space, &model, 1, 1);
    const int64_t first = measurer_.is_noisy() ? std::min(trials_, Tuner::kBatch) : trials_;
    constexpr int64_t kMost = 1'000'000;
    constexpr uint64_t kChances = 3;
    for (uint64_t chance = 1; chance <= kChances; ++chance) {
      std::vector<Candidate>& drawn = task.at_random.emplace_back(SearchAtRandom(
          searched,
          target_.has_large_spaces ? DrawnPoints(space, trials_, chance) : space.Cheapest(kMost),
          chance));
      if (measurer_.is_noisy()) proposer.Describe(drawn);
      task.random += BestTrialOf(drawn).cost / kChances;
      task.random_curve += MeanBest(drawn, trials_) / kChances;
    }
    std::vector<Candidate> begins = CandidatesOf(
        space, measurer_.is_noisy() ? FirstPoints(space, first, 1) : space.Cheapest(first));
    if (measurer_.is_noisy()) {
      BoostedTrees other;
      Proposer ablated(space, &other, 1, 1, {.picks_unlike = false});
      task.alike = BestTrialOf(SearchByModel(searched, begins, {}, &ablated));
      task.tried = SearchByModel(searched, std::move(begins), {}, &proposer);
    } else {
      once(begins);
      task.tried = std::move(begins);
    }
    task.rule = BestTrialOf(std::span(task.tried).first(1));
    task.searched = BestTrialOf(task.tried);
    task.curve = MeanBest(task.tried, trials_);
    if (task.searched.trials > 0)
      found_[ShapeOf(space.Workload())] = task.tried[task.searched.trials - 1].point;
  }

  const std::string title_;
  const SearchedTarget& target_;
  const Measurer& measurer_;
  const int64_t trials_;
  Progress& progress_;
  std::set<std::string> shapes_;
  std::map<std::string, Point> found_;
  std::vector<ComparedTask> tasks_;
};

/// Takes what was found for tasks of the same shape.
class FoundPoints : public compiler::tune::Chooser {
 public:
  explicit FoundPoints(const std::map<std::string, Point>& found) : found_(found) {}

  std::vector<compiler::tune::Offer> Choose(const std::string&, int64_t,
                                            const Space& space) override {
    const auto found = found_.find(ShapeOf(space.Workload()));
    if (found != found_.end() && space.Has(found->second)) return {{found->second}};
    return {{space.Cheapest(1)[0]}};
  }

 private:
  const std::map<std::string, Point>& found_;
};

/// The whole network on one core by the rule, by what was found, and by the peer.
void AddWholeNetwork(const std::string& name, const std::map<std::string, Point>& found,
                     const SeedsOptions& options, Progress* progress, SeedsTable* table) {
  progress->At(StrCat("tuned, ", name, " whole"));
  FoundPoints chooser(found);
  const OnCores pinned({AllowedCores().back()});
  const NetworkBesidePeer rule = TimeBesideRuntime(name, nullptr, options.runs);
  const NetworkBesidePeer tuned = TimeBesideRuntime(name, &chooser, options.runs);
  std::vector<SeedsCell> row(table->columns.size());
  row[0] = name, row[1] = "cpu", row[2] = "whole network";
  row[3] = rule.ours_ns / 1000, row[5] = tuned.ours_ns / 1000,
  row[7] = rule.ours_ns / tuned.ours_ns;
  if (tuned.peer_ns > 0)
    row.back() = tuned.peer_ns / 1000;
  else
    table->absent.push_back({"ONNX Runtime", tuned.why_no_peer});
  table->rows.push_back(std::move(row));
  table->claims.push_back(
      {38,
       fmt::format("{} whole on cpu: {:.2f} times as quick by what was found as by the rule{}",
                   name, rule.ours_ns / tuned.ours_ns,
                   tuned.peer_ns > 0 ? fmt::format(", and {:.2f} times as quick as ONNX Runtime",
                                                   tuned.peer_ns / tuned.ours_ns)
                                     : ""),
       tuned.ours_ns <= kAlike * rule.ours_ns});
}

std::vector<Candidate> Joined(std::span<const std::vector<Candidate>> lists) {
  std::vector<Candidate> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// A cost of a column's unit; blank where there is none.
SeedsCell CostCell(const BestTrial& best, double unit) {
  return std::isfinite(best.cost) ? SeedsCell(best.cost / unit) : SeedsCell();
}

SeedsCell PercentCell(double share) {
  return std::isfinite(share) ? SeedsCell(100 * share) : SeedsCell();
}

void AddTuned(const std::string& network, const SearchedTarget& searched,
              const std::vector<ComparedTask>& tasks, SeedsTable* table) {
  const std::string& target = searched.name;
  const double unit = searched.unit;
  const bool learns = searched.measurer.is_noisy();
  double rules = 0, found = 0, alike = 0, others_sum = 0, own_sum = 0;
  int64_t ahead = 0, best_ahead = 0, others_count = 0, own_count = 0;
  for (const ComparedTask& task : tasks) {
    double others = NAN, own = NAN;
    if (learns) {
      std::vector<Examples> elsewhere;
      for (const ComparedTask& other : tasks)
        if (&other != &task) {
          elsewhere.push_back(ExamplesOf(other.tried));
          for (const auto& drawn : other.at_random) elsewhere.push_back(ExamplesOf(drawn));
        }
      others = RankedBy(elsewhere, Joined(task.at_random));
      std::vector<Candidate> known = Joined(std::span(task.at_random).subspan(1));
      known.insert(known.end(), task.tried.begin(), task.tried.end());
      own = RankedBy({ExamplesOf(known)}, Without(task.at_random[0], known));
    }
    if (std::isfinite(others)) others_sum += others, ++others_count;
    if (std::isfinite(own)) own_sum += own, ++own_count;
    rules += task.rule.cost, found += task.searched.cost, alike += task.alike.cost;
    ahead += task.curve < task.random_curve;
    best_ahead += task.searched.cost < task.random;
    table->rows.push_back({network, target, task.step, CostCell(task.rule, unit),
                           CostCell({task.random}, unit), CostCell(task.searched, unit),
                           CostCell(task.alike, unit), task.rule.cost / task.searched.cost,
                           PercentCell(others), PercentCell(own), SeedsCell()});
  }
  const int64_t count = std::ssize(tasks);
  table->claims.push_back(
      {28,
       fmt::format("{} on {}: the search's best so far is ahead of that of chance, the mean of "
                   "its trials, in {} of {} tasks, 10 of 12 are asked for; its last is in {}",
                   network, target, ahead, count, best_ahead),
       12 * ahead >= 10 * count});
  table->claims.push_back(
      {38,
       fmt::format("{} on {}: what the search found is {:.2f} times as quick as the rule's",
                   network, target, rules / found),
       found <= rules});
  table->ratios.push_back({StrCat("rule to search on ", target), rules / found});
  if (!learns) return;
  constexpr double kChance = 1.02;
  table->claims.push_back(
      {30,
       fmt::format(
           "{} on {}: with the best picked, however alike, what is found is {:.3f} times as slow "
           "as with unlike picks: these must not be worse by more than 2 %",
           network, target, alike / found),
       found <= kChance * alike});
  if (others_count == 0 || own_count == 0) {
    table->claims.push_back(
        {29, StrCat(network, " on ", target, ": no pairs of trials differ by more than chance")});
    return;
  }
  const double others = others_sum / static_cast<double>(others_count);
  const double own = own_sum / static_cast<double>(own_count);
  constexpr double kAsked = 0.6;
  table->claims.push_back(
      {29,
       fmt::format(
           "{} on {}: of random trials a model of the other tasks orders {:.1f} % of the pairs as "
           "they are, one of the task's own, others than these, {:.1f} %: more than 60 are asked "
           "for",
           network, target, 100 * others, 100 * own),
       others > kAsked && own > kAsked});
}

/// Estimates in the place of costs: the same on all machines.
void TakeEstimates(std::span<Candidate> candidates) {
  for (Candidate& candidate : candidates) candidate.cost = candidate.estimate;
}

struct AblatedSearch {
  const char *key, *title;
  bool by_model;
  ProposerParts parts;
};
constexpr AblatedSearch kAblatedSearches[] = {
    {"whole", "whole", true, {}},
    {"drawn", "no annealing", true, {.anneals = false}},
    {"alike", "the best, alike", true, {.picks_unlike = false}},
    {"random", "at random", false, {}},
};

struct AblatedTask {
  std::string step;
  double best = INFINITY;     // of the space
  std::vector<double> found;  // by each way, the mean of seeds
};

/// Searches spaces that are too large for all of their points to be ranked.
class AblatedTasks : public compiler::tune::Chooser {
 public:
  AblatedTasks(int64_t trials, Progress* progress) : trials_(trials), progress_(*progress) {}

  std::vector<compiler::tune::Offer> Choose(const std::string& step, int64_t macs,
                                            const Space& space) override {
    if (macs > 0 && shapes_.insert(ShapeOf(space.Workload())).second) Search(step, space);
    return {{space.Cheapest(1)[0]}};
  }
  const std::vector<AblatedTask>& tasks() const { return tasks_; }

 private:
  static constexpr uint64_t kSeeds = 3;

  void Search(const std::string& step, const Space& space) {
    AblatedTask task{step};
    for (const Point& point : space.Cheapest(2))  // of which the first is the rule's
      task.best = std::min(task.best, static_cast<double>(space.Estimate(point)));
    const SearchedSpace searched{space, trials_, TakeEstimates};
    for (const AblatedSearch& way : kAblatedSearches) {
      progress_.At(StrCat("ablation, ", step, ", ", way.title));
      double sum = 0;
      for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
        std::vector<Candidate> candidates =
            CandidatesOf(space, DrawnPoints(space, way.by_model ? Tuner::kBatch : trials_, seed));
        TakeEstimates(candidates);
        if (way.by_model) {
          BoostedTrees model;
          Proposer proposer(space, &model, seed, 1, way.parts);
          candidates = SearchByModel(searched, std::move(candidates), {}, &proposer);
        }
        sum += BestTrialOf(candidates).cost;
      }
      task.found.push_back(sum / static_cast<double>(kSeeds));
    }
    tasks_.push_back(std::move(task));
  }

  const int64_t trials_;
  Progress& progress_;
  std::set<std::string> shapes_;
  std::vector<AblatedTask> tasks_;
};

}  // namespace

SeedsTable SeedsTuned(const SeedsOptions& options, Progress& progress) {
  SeedsTable table{{{"network", "network"},
                    {"target", "target"},
                    {"task", "task"},
                    {"rule", "the rule's", 1},
                    {"random", "at random", 1},
                    {"searched", "searched", 1},
                    {"alike", "the best, alike", 1},
                    {"ratio", "times", 2},
                    {"ranked_others", "ranked by others %", 1},
                    {"ranked_own", "by its own %", 1},
                    {"peer", "ONNX Runtime", 1}},
                   {}};
  const std::vector<std::string> networks = SeedsNetworks(options, {"resnet18"});
  const auto search = [&](const SearchedTarget& target, SeedsNetwork package) {
    for (const std::string& name : networks) {
      ComparedTasks tasks(name, target, options.trials, &progress);
      package.name = name;
      package.chooser = &tasks;
      PackageOf(package);
      AddTuned(name, target, tasks.tasks(), &table);
      if (package.targets == "cpu")
        AddWholeNetwork(name, tasks.found(), options, &progress, &table);
    }
  };
  const CycleMeasurer cycles(options.config);
  search({"vta", cycles, true, 1000},
         {.type = compiler::ModelType::kInt8, .targets = "vta,cpu", .config = options.config});
  const NativeMeasurer native(NativeCpu(), AllowedCores().back());
  search({"cpu", native, false, 1000}, {.cpus = "native"});
  std::optional<GpuMeasurer> gpu;
  try {
    gpu.emplace(isa::kCudaGpu, StrCat(isa::kCudaGpu.name, ":0"));
  } catch (const Error& error) {
    table.absent.push_back({"cuda", error.what()});
  }
  if (gpu) search({"cuda", *gpu, true, 1000}, {.targets = "cuda", .cpus = "native"});
  table.notes = {StrCat("the best of ", Counted(options.trials, "trial"),
                        " of each task: thousands of cycles of ", options.config.name,
                        " in int8, by the cycle model and the lowest estimates; "
                        "microseconds of one core, or of a GPU, in float, by the learned model"),
                 "ranked: pairs of random trials that a cost model orders as their costs are, by "
                 "trials of the "
                 "other tasks alone, and by others of the task's own",
                 "there: ResNet-18 on a Raspberry Pi 3B takes 567 ms by schedules made by hand, "
                 "314.4 tuned"};
  return table;
}

SeedsTable SeedsAblation(const SeedsOptions& options, Progress& progress) {
  SeedsTable table{{{"network", "network"}, {"task", "task"}, {"best", "best"}}, {}};
  for (const AblatedSearch& way : kAblatedSearches)
    table.columns.push_back({way.key, way.title, 1});
  constexpr size_t kWays = std::size(kAblatedSearches);
  double logs[kWays] = {};
  int64_t count = 0;
  for (const std::string& name : SeedsNetworks(options, {"resnet18"})) {
    AblatedTasks chooser(options.trials, &progress);
    PackageOf({.name = name, .targets = "cuda", .cpus = "native", .chooser = &chooser});
    for (const AblatedTask& task : chooser.tasks()) {
      std::vector<SeedsCell>& row = table.rows.emplace_back();
      row = {name, task.step, static_cast<int64_t>(task.best)};
      ++count;
      for (size_t way = 0; way < kWays; ++way) {
        row.emplace_back(100 * (task.found[way] / task.best - 1));
        logs[way] += std::log(task.found[way] / task.best);
      }
    }
  }
  if (count == 0) {
    table.claims = {{30, "the networks have no task"}};
    return table;
  }
  double means[kWays];
  for (size_t way = 0; way < kWays; ++way)
    means[way] = std::exp(logs[way] / static_cast<double>(count));
  table.notes = {fmt::format(
      "searches of {} of CUDA's spaces, as no GPU is needed: costs are the spaces' own estimates, "
      "which the model's features have, so that ways to walk a space differ and what is learned "
      "does not; what is found over the best, in %, the mean of three, all begun at random",
      Counted(options.trials, "trial"))};
  for (const size_t way : {1, 3})
    table.ratios.push_back(
        {StrCat(kAblatedSearches[way].title, " to whole"), means[way] / means[0]});
  constexpr double kMargin = 1.05;
  table.claims = {
      {30,
       fmt::format(
           "what is found is {:.3f} times the best of the space with annealing, {:.3f} with "
           "as many points drawn: annealing must not be worse by more than 5 %",
           means[0], means[1]),
       means[0] <= kMargin * means[1]},
      {30,
       fmt::format("what is found is {:.3f} times the best with all parts, {:.3f} at random: a "
                   "search must be ahead of chance",
                   means[0], means[3]),
       means[0] < means[3]}};
  return table;
}

}  // namespace vta::tools
