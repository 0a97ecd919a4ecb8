#include "compiler/quantize/search_ranges.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/graph/facts.h"
#include "isa/support/error.h"

namespace vta::compiler::quantize {
namespace {

/// How much an end moves at a time, and how often it does so in vain: where codes lie beside the
/// values that are most frequent changes from step to step.
constexpr double kStep = 0.72;
constexpr int kPatience = 2, kMostSteps = 32;
/// With so much noise over signal the codes say nothing yet: the end moves on.
constexpr double kUseless = 0.03;
/// Groups whose noise is less of the whole stay as they are.
constexpr double kLeastShare = 0.01;
/// So many samples tell that; and all of them.
constexpr size_t kFirst = 2, kAllSamples = std::numeric_limits<size_t>::max();
constexpr double kNever = std::numeric_limits<double>::infinity();
/// What a wider range may cost more: samples that were not seen lie outside of narrow ones.
constexpr double kForWidth = 1.25, kForWidthOfAll = 0.003;

class RangeSearch {
 public:
  RangeSearch(const Trial& trial, const Plan& plan, const Judges& judges, const Runs& runs,
              const std::vector<Range>& otherwise, std::vector<Range>* ranges)
      : trial_(trial),
        plan_(plan),
        large_(judges.large),
        runs_(runs),
        left_(runs.most),
        otherwise_(otherwise),
        ranges_(*ranges),
        unrounded_(Unrounded(trial.setting())),
        want_(trial.Run(unrounded_)) {}

  void Run() {
    std::vector<std::pair<double, int64_t>> groups;
    for (const Point& point : plan_.points) {
      if (&point != &plan_.points[point.group]) continue;
      groups.emplace_back(Begin(point.group), point.group);
      all_ += groups.back().first;
    }
    std::ranges::stable_sort(groups, std::greater(), &std::pair<double, int64_t>::first);
    for (const auto& [cost, group] : groups) {
      if (cost < kLeastShare * all_) break;
      if (left_ <= 0) {
        Set(group, otherwise_[group]);
        continue;
      }
      all_ -= cost;
      all_ += Narrow(group);
    }
  }

 private:
  /// Takes the other range at once where that is much better. Returns what it costs.
  double Begin(int64_t group) {
    constexpr double kMuchLess = 0.5;
    const double wide = Cost(group, ranges_[group], kFirst),
                 other = Cost(group, otherwise_[group], kFirst);
    if (other >= kMuchLess * wide) return wide;
    Set(group, otherwise_[group]);
    return other;
  }

  /// The noise of what is judged on the first samples when nothing but this group is rounded: of
  /// the large judges, or of the heads, where no large one depends on it. kNever where it is soon
  /// seen to be much more than `enough`, or no float32 is the scale. Leaves the noise up to each
  /// sample.
  double Cost(int64_t group, const Range& range, size_t samples,
              const std::vector<double>& enough = {}) {
    constexpr double kMuch = 2.5;
    constexpr size_t kSoon = 3;
    Setting setting = unrounded_;
    try {
      for (size_t p = 0; p < plan_.points.size(); ++p)
        if (plan_.points[p].group == group) setting.scales[p] = ScaleOfRange(range);
    } catch (const Error&) {
      return kNever;
    }
    std::vector<Noise> sums(want_[0].size());
    up_to_.clear();
    for (size_t s = 0; s < std::min(samples, want_.size()); ++s) {
      if (runs_.on_run) runs_.on_run("searching ranges", runs_.most - --left_, runs_.most);
      const std::vector<Noise> noise = NoiseBetween(want_[s], trial_.RunOn(s, setting));
      double large = 0, heads = 0;
      for (size_t j = 0; j < noise.size(); ++j) {
        sums[j] += noise[j];
        if (sums[j].noise > 0) (j < large_ ? large : heads) += sums[j].noise / sums[j].signal;
      }
      up_to_.push_back(large > 0 ? large : heads);
      if (s < enough.size() && s + 1 >= kSoon && up_to_[s] > kMuch * enough[s]) return kNever;
    }
    return up_to_.back();
  }

  void Set(int64_t group, const Range& range) {
    for (size_t p = 0; p < plan_.points.size(); ++p)
      if (plan_.points[p].group == group) ranges_[p] = range;
  }

  /// Returns what it costs then.
  double Narrow(int64_t group) {
    const bool is_centred = std::ranges::any_of(
        plan_.points, [&](const Point& point) { return point.group == group && point.is_centred; });
    if (is_centred) return NarrowEnds(group, true, true);
    const double cost = NarrowEnds(group, false, true);
    return std::min(cost, NarrowEnds(group, true, false));
  }

  /// Takes the widest of the ranges that have about the least noise.
  double NarrowEnds(int64_t group, bool low, bool high) {
    Range tried = ranges_[group];
    if ((tried.low == 0 || !low) && (tried.high == 0 || !high)) return kNever;
    double least = Cost(group, tried, kAllSamples);
    std::vector<std::pair<double, Range>> seen = {{least, tried}};
    std::vector<double> enough = up_to_;
    for (int step = 0, in_vain = 0; step < kMostSteps && in_vain < kPatience && left_ > 0; ++step) {
      if (low) tried.low *= kStep;
      if (high) tried.high *= kStep;
      const double cost = Cost(group, tried, kAllSamples, enough);
      seen.emplace_back(cost, tried);
      if (!(cost < least)) {
        if (least < kUseless) ++in_vain;
        continue;
      }
      in_vain = 0;
      least = cost;
      enough = up_to_;
    }
    const double most = std::max(kForWidth * least, least + kForWidthOfAll * (all_ + least));
    for (const auto& [cost, range] : seen) {
      if (cost > most) continue;
      Set(group, range);
      return cost;
    }
    return least;
  }

  const Trial& trial_;
  const Plan& plan_;
  const size_t large_;
  const Runs& runs_;
  int64_t left_;  // of the runs; a range that was begun is finished
  const std::vector<Range>& otherwise_;
  std::vector<Range>& ranges_;
  const Setting unrounded_;
  const Judged want_;
  std::vector<double> up_to_;  // each sample: the last cost
  double all_ = 0;             // of the groups, but for the one that is narrowed
};

}  // namespace

int64_t WorkOf(const Graph& graph, const Plan& plan) {
  constexpr int64_t kOfValue = 40;
  int64_t work = 0;
  for (const Layer& layer : plan.layers) work += MacsOf(graph, graph.nodes()[layer.node]);
  for (const Point& point : plan.points) work += kOfValue * Elements(graph.shape(point.value));
  return work;
}

int64_t RunsFor(int64_t work) {
  constexpr int64_t kAll = 1'000'000'000'000, kLeast = 128, kMost = 4000;
  return std::clamp(kAll / std::max<int64_t>(work, 1), kLeast, kMost);
}

void SearchRanges(const Trial& trial, const Plan& plan, const Judges& judges, const Runs& runs,
                  const std::vector<Range>& otherwise, std::vector<Range>* ranges) {
  RangeSearch(trial, plan, judges, runs, otherwise, ranges).Run();
}

}  // namespace vta::compiler::quantize
