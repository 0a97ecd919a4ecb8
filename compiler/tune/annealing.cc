#include "compiler/tune/annealing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace vta::compiler::tune {
namespace {

constexpr size_t kChains = 64;
constexpr int64_t kSteps = 64;

double Uniform(std::mt19937_64& random) {
  constexpr int kBits = 53;
  return std::ldexp(static_cast<double>(random() >> (64 - kBits)), -kBits);
}

/// Another value of one choice; the point itself where no such one was met.
Point NeighbourOf(const Space& space, const Point& point, std::mt19937_64& random) {
  constexpr int kDraws = 32;
  const std::vector<Choice>& choices = space.Choices();
  for (int draw = 0; draw < kDraws; ++draw) {
    const size_t choice = random() % choices.size();
    Point other = point;
    other[choice] = choices[choice].values[random() % choices[choice].values.size()];
    if (other != point && space.Has(other)) return other;
  }
  return point;
}

/// Scores, each asked for once.
class Scores {
 public:
  explicit Scores(const ScorePoints& score) : score_(score) {}

  void Ask(const std::vector<Point>& points) {
    std::vector<Point> fresh;
    for (const Point& point : points)
      if (known_.try_emplace(point).second) fresh.push_back(point);
    const std::vector<double> scores = score_(fresh);
    for (size_t i = 0; i < fresh.size(); ++i) known_[fresh[i]] = scores[i];
  }
  double at(const Point& point) const { return known_.at(point); }
  std::vector<ScoredPoint> BestFirst() const {
    std::vector<ScoredPoint> all;
    for (const auto& [point, score] : known_) all.push_back({point, score});
    std::ranges::stable_sort(all, std::greater(), &ScoredPoint::score);
    return all;
  }

 private:
  const ScorePoints& score_;
  std::map<Point, double> known_;
};

}  // namespace

std::optional<Point> DrawPoint(const Space& space, std::mt19937_64& random) {
  constexpr int64_t kDraws = 100'000;
  for (int64_t draw = 0; draw < kDraws; ++draw) {
    Point point;
    for (const Choice& choice : space.Choices())
      point.push_back(choice.values[random() % choice.values.size()]);
    if (space.Has(point)) return point;
  }
  return std::nullopt;
}

std::vector<ScoredPoint> Anneal(const Space& space, std::span<const Point> starts,
                                const ScorePoints& score, std::mt19937_64& random) {
  std::vector<Point> chains(
      starts.begin(), starts.begin() + static_cast<int64_t>(std::min(starts.size(), kChains / 2)));
  while (chains.size() < kChains) {
    const std::optional<Point> drawn = DrawPoint(space, random);
    if (!drawn) break;
    chains.push_back(*drawn);
  }
  Scores scores(score);
  scores.Ask(chains);
  for (int64_t step = 0; step < kSteps; ++step) {
    const double temperature = 1 - static_cast<double>(step) / kSteps;
    std::vector<Point> next;
    for (const Point& point : chains) next.push_back(NeighbourOf(space, point, random));
    scores.Ask(next);
    for (size_t i = 0; i < chains.size(); ++i) {
      const double gain = scores.at(next[i]) - scores.at(chains[i]);
      if (gain >= 0 || Uniform(random) < std::exp(gain / temperature)) chains[i] = next[i];
    }
  }
  return scores.BestFirst();
}

}  // namespace vta::compiler::tune
