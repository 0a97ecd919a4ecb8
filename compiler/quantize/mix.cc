#include "compiler/quantize/mix.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace vta::compiler::quantize {
namespace {

/// Less is not worth it. Units: dB.
constexpr double kLeastGain = 0.02;

bool Differ(const CodeScale& a, const CodeScale& b) {
  constexpr double kSame = 0.01;
  return a.zero_point != b.zero_point || std::abs(a.scale - b.scale) > kSame * a.scale;
}

class Mixer {
 public:
  Mixer(const Trial& trial, const Plan& plan, std::span<const Candidate> candidates, int64_t runs)
      : trial_(trial), plan_(plan), candidates_(candidates), runs_(runs) {}

  std::vector<Method> Run() {
    std::vector<Outcome> outcomes;
    std::vector<double> alone;
    for (size_t c = 0; c < candidates_.size(); ++c) {
      choice_.assign(plan_.points.size(), c);
      outcomes.push_back(Try());
      alone.push_back(Decibels(outcomes.back()));
    }
    const size_t start = std::ranges::max_element(alone) - alone.begin();
    choice_.assign(plan_.points.size(), start);
    best_ = std::move(outcomes[start]);
    std::vector<size_t> order;  // the others, the best first
    for (size_t c = 0; c < candidates_.size(); ++c) order.push_back(c);
    std::ranges::stable_sort(order, std::greater(), [&](size_t c) { return alone[c]; });
    std::rotate(order.begin(), order.begin() + 1, order.end());
    for (size_t at = 0; at < order.size(); ++at)
      Turn(order[at], runs_ / static_cast<int64_t>(order.size() - at));
    std::vector<Method> methods;
    for (const size_t choice : choice_) methods.push_back(candidates_[choice].method);
    return methods;
  }

 private:
  /// Layers' biases go with the range of what they read.
  Outcome Try() {
    Setting setting = candidates_[0].setting;
    for (size_t p = 0; p < plan_.points.size(); ++p)
      setting.scales[p] = candidates_[choice_[p]].setting.scales[p];
    for (const Layer& layer : plan_.layers)
      if (const auto& from = candidates_[choice_[layer.input]].setting.biases;
          from.contains(layer.node))
        setting.biases[layer.node] = from.at(layer.node);
    runs_ -= trial_.samples();
    return trial_.Run(setting);
  }

  void Set(std::span<const int64_t> groups, size_t candidate) {
    for (size_t p = 0; p < plan_.points.size(); ++p)
      if (std::ranges::binary_search(groups, plan_.points[p].group)) choice_[p] = candidate;
  }

  /// Groups whose codes would change with a candidate.
  std::vector<int64_t> Others(size_t candidate) const {
    std::vector<int64_t> groups;
    for (size_t p = 0; p < plan_.points.size(); ++p)
      if (Differ(*candidates_[choice_[p]].setting.scales[p],
                 *candidates_[candidate].setting.scales[p]))
        groups.push_back(plan_.points[p].group);
    std::ranges::sort(groups);
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    return groups;
  }

  void Turn(size_t candidate, int64_t runs) {
    const int64_t left = runs_ - runs;
    std::deque<std::vector<int64_t>> queue = {Others(candidate)};
    while (!queue.empty() && runs_ - trial_.samples() >= left) {
      const std::vector<int64_t> groups = std::move(queue.front());
      queue.pop_front();
      if (groups.empty()) continue;
      const std::vector<size_t> before = choice_;
      Set(groups, candidate);
      Outcome outcome = Try();
      if (const Gain gain = GainOf(outcome, best_); gain.mean > std::max(kLeastGain, gain.error)) {
        best_ = std::move(outcome);
        continue;
      }
      choice_ = before;
      if (groups.size() == 1) continue;
      const auto middle = groups.begin() + std::ssize(groups) / 2;
      queue.emplace_back(groups.begin(), middle);
      queue.emplace_back(middle, groups.end());
    }
  }

  const Trial& trial_;
  const Plan& plan_;
  const std::span<const Candidate> candidates_;
  int64_t runs_;
  Outcome best_;
  std::vector<size_t> choice_;  // by point
};

}  // namespace

int64_t MacsOf(const Graph& graph, const Plan& plan) {
  int64_t macs = 0;
  for (const Layer& layer : plan.layers) {
    const Node& node = graph.nodes()[layer.node];
    macs +=
        Elements(graph.shape(node.output)) / layer.channels * Elements(graph.shape(node.inputs[1]));
  }
  return macs;
}

int64_t RunsFor(int64_t macs) {
  constexpr int64_t kAll = 400'000'000'000, kLeast = 64, kMost = 600;
  return std::clamp(kAll / std::max<int64_t>(macs, 1), kLeast, kMost);
}

std::vector<Method> Mix(const Trial& trial, const Plan& plan, std::span<const Candidate> candidates,
                        int64_t runs) {
  return Mixer(trial, plan, candidates, runs).Run();
}

}  // namespace vta::compiler::quantize
