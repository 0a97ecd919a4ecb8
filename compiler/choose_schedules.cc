#include "compiler/choose_schedules.h"

#include <algorithm>
#include <limits>
#include <memory>
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
  std::vector<tune::Point> points = {};
  size_t taken = 0;
  std::vector<std::shared_ptr<const Joinable>> drafts = {};  // of each point, or of the one way
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
        if (steps_[i].points.size() > 1 && seen_[i] != Around(i)) Choose(i);
  }

 private:
  void Choose(size_t step) {
    std::vector<int64_t> costs(steps_[step].points.size());
    tune::InParallel(chooser_.jobs(), costs.size(),
                     [&](size_t point) { costs[point] = CostWith(step, point); });
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

  /// Of the step with that point, and its neighbours with those that they have.
  int64_t CostWith(size_t step, size_t point) const {
    std::vector<const Joinable*> programs;
    for (const Choosing& one : Window(step)) {
      programs.push_back(one.drafts[&one == &steps_[step] ? point : one.taken].get());
      if (!programs.back()) return kNever;
    }
    try {
      const std::optional<JoinedCode> joined = steps_[step].step->target.Join(programs, constants_);
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
  const int64_t constants_;                // of micro-ops
  std::vector<std::vector<size_t>> seen_;  // Around each step when it was looked at last
};

/// The drafts of steps that may run in one launch, in their order.
void MakeDrafts(const Graph& graph, const StepAddresses& addresses, int64_t jobs,
                std::vector<Choosing>* steps) {
  StepAddresses behind = addresses;
  behind.constants += kMostMicroOpBytes;
  std::vector<std::pair<Choosing*, size_t>> all;
  for (Choosing& one : *steps) {
    one.drafts.resize(std::max<size_t>(one.points.size(), 1));
    for (size_t point = 0; point < one.drafts.size(); ++point) all.emplace_back(&one, point);
  }
  tune::InParallel(jobs, all.size(), [&](size_t i) {
    const auto& [one, point] = all[i];
    if (one->step->is_decided) return;
    try {
      one->drafts[point] =
          one->step->target.Draft(graph, one->step->step, one->space.get(),
                                  one->points.empty() ? nullptr : &one->points[point], behind);
    } catch (const Error&) {
      // There is none: it is no candidate, and without the first one there is no launch.
    }
  });
}

}  // namespace

std::vector<std::optional<tune::Point>> ChooseSchedules(
    const Graph& graph, std::span<const StepToChoose> steps, const StepAddresses& addresses,
    tune::Chooser* chooser, const std::function<void(size_t)>& on_step) {
  std::vector<Choosing> all(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    all[i].step = &steps[i];
    if (!chooser || steps[i].is_decided) continue;
    if (on_step) on_step(i);
    all[i].space = steps[i].target.SpaceOf(graph, steps[i].step);
    if (all[i].space) all[i].points = chooser->Choose(steps[i].name, steps[i].macs, *all[i].space);
  }
  if (chooser && chooser->measurer()) {
    MakeDrafts(graph, addresses, chooser->jobs(), &all);
    for (size_t begin = 0, end; begin < all.size(); begin = end) {
      const auto shares = [&](const Choosing& one) {
        return one.drafts[0] && &one.step->target == &all[begin].step->target;
      };
      for (end = begin; end < all.size() && shares(all[end]); ++end) {
      }
      if (end > begin + 1)
        LaunchChoice(std::span(all).subspan(begin, end - begin), *chooser, addresses.constants)
            .Run();
      end = std::max(end, begin + 1);
    }
  }
  std::vector<std::optional<tune::Point>> chosen(steps.size());
  for (size_t i = 0; i < steps.size(); ++i)
    if (!all[i].points.empty()) chosen[i] = all[i].points[all[i].taken];
  return chosen;
}

}  // namespace vta::compiler
