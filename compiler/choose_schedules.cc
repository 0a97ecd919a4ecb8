#include "compiler/choose_schedules.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "compiler/tune/parallel.h"
#include "isa/support/error.h"

namespace vta::compiler {
namespace {

constexpr int64_t kMostMicroOpBytes = 1 << 20;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// A step and the points that it may get.
struct Choosing {
  const StepToChoose* step = nullptr;
  std::unique_ptr<tune::Space> space = nullptr;
  std::vector<tune::Offer> offers = {};
  size_t taken = 0;
  std::vector<std::shared_ptr<const Joinable>> drafts = {};  // of each point, or of the one way
  std::vector<int64_t> numbers = {};                         // of drafts: those of one program
};

/// Steps that run in one launch.
class LaunchChoice {
 public:
  LaunchChoice(std::span<Choosing> steps, const tune::Chooser& chooser, int64_t constants)
      : steps_(steps), chooser_(chooser), constants_(constants), seen_(steps.size()) {}

  /// From the first step to the last, twice: the second time those of which a neighbour has changed
  /// since.
  void Run() {
    for (int sweep = 0; sweep < 2; ++sweep)
      for (size_t i = 0; i < steps_.size(); ++i)
        if (steps_[i].offers.size() > 1 && seen_[i] != Around(i)) Choose(i);
  }

 private:
  void Choose(size_t step) {
    std::vector<int64_t> costs(steps_[step].offers.size());
    std::vector<size_t> unknown;
    for (size_t point = 0; point < costs.size(); ++point)
      if (const auto known = known_.find(KeyWith(step, point)); known != known_.end())
        costs[point] = known->second;
      else
        unknown.push_back(point);
    tune::InParallel(chooser_.jobs(), unknown.size(),
                     [&](size_t i) { costs[unknown[i]] = CostWith(step, unknown[i]); });
    for (const size_t point : unknown) known_.emplace(KeyWith(step, point), costs[point]);
    steps_[step].taken = static_cast<size_t>(std::ranges::min_element(costs) - costs.begin());
    seen_[step] = Around(step);
  }

  /// The step and its neighbours.
  std::span<const Choosing> Window(size_t step) const {
    const size_t begin = step == 0 ? 0 : step - 1;
    return steps_.subspan(begin, std::min(step + 2, steps_.size()) - begin);
  }
  /// What they have.
  std::vector<size_t> Around(size_t step) const {
    std::vector<size_t> taken;
    for (const Choosing& one : Window(step)) taken.push_back(one.taken);
    return taken;
  }

  /// The step and its neighbours: their programs, and where their tensors lie, from the first.
  std::vector<int64_t> KeyWith(size_t step, size_t point) const {
    std::vector<int64_t> key;
    int64_t first = kNever;
    for (const Choosing& one : Window(step))
      for (const int64_t tensor : one.step->tensors) first = std::min(first, tensor);
    for (const Choosing& one : Window(step)) {
      key.push_back(one.numbers[&one == &steps_[step] ? point : one.taken]);
      key.push_back(std::ssize(one.step->tensors));
      for (const int64_t tensor : one.step->tensors) key.push_back(tensor - first);
    }
    return key;
  }

  /// Of the step with that point, and its neighbours with those that they have.
  int64_t CostWith(size_t step, size_t point) const {
    std::vector<const Joinable*> programs;
    for (const Choosing& one : Window(step)) {
      programs.push_back(one.drafts[&one == &steps_[step] ? point : one.taken].get());
      if (!programs.back()) return kNever;
    }
    try {
      const std::optional<JoinedCode> joined =
          steps_[step].step->target.Join(programs, constants_, true);
      if (!joined || std::ssize(joined->constants) > kMostMicroOpBytes) return kNever;
      ProgramCode code;
      code.code = joined->code;
      code.constants = joined->constants;
      return chooser_.measurer()->Measure({std::move(code), joined->end_bytes, constants_});
    } catch (const Error&) {
      return kNever;
    }
  }

  const std::span<Choosing> steps_;
  const tune::Chooser& chooser_;
  const int64_t constants_;                        // of micro-ops
  std::vector<std::vector<size_t>> seen_;          // Around each step when it was looked at last
  std::map<std::vector<int64_t>, int64_t> known_;  // costs by KeyWith
};

/// The drafts of steps that may run in one launch, in their order.
class DraftMaker {
 public:
  DraftMaker(const Graph& graph, const StepAddresses& addresses)
      : graph_(graph), behind_(addresses) {
    behind_.constants += kMostMicroOpBytes;
  }

  void Run(std::vector<Choosing>* steps) {
    int64_t jobs = 1;
    std::map<Key, std::vector<Place>> places;  // of drafts that are one program
    for (Choosing& one : *steps) {
      one.drafts.resize(std::max<size_t>(one.offers.size(), 1));
      one.numbers.resize(one.drafts.size());
      if (one.step->is_decided || !one.step->chooser || !one.step->chooser->measurer()) continue;
      jobs = std::max(jobs, one.step->chooser->jobs());
      const std::string workload = one.space ? one.space->Workload() : "";
      for (size_t i = 0; i < one.drafts.size(); ++i)
        if (one.offers.empty())
          places[{&one.step->target, one.step->name, {}}].push_back({&one, i});
        else
          places[{&one.step->target, workload, one.offers[i].point}].push_back({&one, i});
    }
    std::vector<const std::vector<Place>*> all;
    for (const auto& [key, same] : places) {
      for (const auto& [one, offer] : same) one->numbers[offer] = std::ssize(all);
      all.push_back(&same);
    }
    tune::InParallel(jobs, all.size(), [&](size_t i) {
      const Joinable* made = nullptr;
      for (const auto& [one, offer] : *all[i]) {
        if (!one->offers.empty() && !made) made = one->offers[offer].program.get();
        one->drafts[offer] = Draft(*one, offer, made);
        made = one->drafts[offer].get();
      }
    });
  }

 private:
  using Key = std::tuple<const CodeTarget*, std::string, tune::Point>;
  struct Place {
    Choosing* step;
    size_t offer;
  };

  /// Nothing where there is none: it is no candidate, and without the first one there is no launch.
  std::shared_ptr<const Joinable> Draft(const Choosing& one, size_t offer,
                                        const Joinable* made) const {
    try {
      return one.step->target.Draft(graph_, one.step->step, one.space.get(),
                                    one.offers.empty() ? nullptr : &one.offers[offer].point, made,
                                    behind_);
    } catch (const Error&) {
      return nullptr;
    }
  }

  const Graph& graph_;
  StepAddresses behind_;  // constants lie behind all that micro-ops may take
};

}  // namespace

std::vector<std::optional<tune::Point>> ChooseSchedules(
    const Graph& graph, std::span<const StepToChoose> steps, const StepAddresses& addresses,
    const std::function<void(size_t)>& on_step) {
  std::vector<Choosing> all(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    all[i].step = &steps[i];
    if (on_step) on_step(i);
    if (!steps[i].chooser || steps[i].is_decided) continue;
    all[i].space = steps[i].target.SpaceOf(graph, steps[i].step);
    if (all[i].space)
      all[i].offers = steps[i].chooser->Choose(steps[i].name, steps[i].macs, *all[i].space);
  }
  DraftMaker(graph, addresses).Run(&all);
  for (size_t begin = 0, end; begin < all.size(); begin = end) {
    const auto shares = [&](const Choosing& one) {
      return one.drafts[0] && &one.step->target == &all[begin].step->target;
    };
    for (end = begin; end < all.size() && shares(all[end]); ++end) {
    }
    if (end > begin + 1)
      LaunchChoice(std::span(all).subspan(begin, end - begin), *all[begin].step->chooser,
                   addresses.constants)
          .Run();
    end = std::max(end, begin + 1);
  }
  std::vector<std::optional<tune::Point>> chosen(steps.size());
  for (size_t i = 0; i < steps.size(); ++i)
    if (!all[i].offers.empty()) chosen[i] = all[i].offers[all[i].taken].point;
  return chosen;
}

}  // namespace vta::compiler
