#include "compiler/tune/proposer.h"

#include <algorithm>

#include "compiler/tune/parallel.h"

namespace vta::compiler::tune {
namespace {

constexpr int64_t kFew = 4096;     // points that are all ranked
constexpr int64_t kAhead = 4;      // plans, of what is picked
constexpr int64_t kRandomly = 16;  // of so many one is drawn

}  // namespace

Proposer::Proposer(const Space& space, CostModel* model, uint64_t seed, int64_t jobs,
                   ProposerParts parts)
    : space_(space),
      model_(*model),
      random_(seed),
      jobs_(jobs),
      parts_(parts),
      all_(space.Cheapest(kFew + 1)) {
  if (std::ssize(all_) > kFew) all_.clear();
}

void Proposer::Describe(std::span<const Point> points) {
  std::vector<std::pair<const Point, loop::Features>*> fresh;
  for (const Point& point : points)
    if (const auto [at, is_fresh] = features_.try_emplace(point); is_fresh) fresh.push_back(&*at);
  InParallel(jobs_, fresh.size(),
             [&](size_t i) { fresh[i]->second = space_.FeaturesOf(fresh[i]->first); });
}

void Proposer::Describe(std::span<Candidate> candidates) {
  std::vector<Point> points;
  for (const Candidate& candidate : candidates) points.push_back(candidate.point);
  Describe(std::span<const Point>(points));
  for (Candidate& candidate : candidates) candidate.features = features_.at(candidate.point);
}

std::vector<double> Proposer::Score(std::span<const Point> points) {
  Describe(points);
  std::vector<const loop::Features*> features;
  for (const Point& point : points) features.push_back(&features_.at(point));
  return model_.Score(features);
}

std::vector<ScoredPoint> Proposer::RankedOf(const std::vector<Point>& points) {
  const std::vector<double> scores = Score(points);
  std::vector<ScoredPoint> ranked;
  for (size_t i = 0; i < points.size(); ++i) ranked.push_back({points[i], scores[i]});
  std::ranges::stable_sort(ranked, std::greater(), &ScoredPoint::score);
  return ranked;
}

std::vector<ScoredPoint> Proposer::Ranked(std::span<const Candidate> candidates) {
  if (!all_.empty()) return RankedOf(all_);
  if (!parts_.anneals) {
    std::set<Point> points;
    for (int64_t i = 0; i < kFew; ++i)
      if (const std::optional<Point> drawn = DrawPoint(space_, random_)) points.insert(*drawn);
    return RankedOf({points.begin(), points.end()});
  }
  std::vector<const Candidate*> best;
  for (const Candidate& candidate : candidates)
    if (candidate.cost) best.push_back(&candidate);
  std::ranges::stable_sort(best, {}, [](const Candidate* candidate) { return *candidate->cost; });
  std::vector<Point> starts;
  for (const Candidate* candidate : best) starts.push_back(candidate->point);
  const auto score = [&](std::span<const Point> points) { return Score(points); };
  return Anneal(space_, starts, score, random_);
}

std::optional<Point> Proposer::Draw(const std::set<Point>& taken) {
  if (all_.empty()) {
    constexpr int kDraws = 100;
    std::optional<Point> point = DrawPoint(space_, random_);
    for (int draw = 1; draw < kDraws && point && taken.contains(*point); ++draw)
      point = DrawPoint(space_, random_);
    return point && !taken.contains(*point) ? point : std::nullopt;
  }
  std::vector<const Point*> left;
  for (const Point& point : all_)
    if (!taken.contains(point)) left.push_back(&point);
  if (left.empty()) return std::nullopt;
  return *left[random_() % left.size()];
}

std::vector<Candidate> Proposer::Propose(int64_t count, std::span<const Candidate> candidates,
                                         std::span<const Examples* const> others) {
  const Examples own = ExamplesOf(candidates);
  std::vector<const Examples*> known(others.begin(), others.end());
  known.push_back(&own);
  model_.Fit(known);
  std::set<Point> taken;
  for (const Candidate& candidate : candidates) taken.insert(candidate.point);
  std::vector<ScoredPoint> ranked = Ranked(candidates);
  std::erase_if(ranked, [&](const ScoredPoint& one) { return taken.contains(one.point); });
  ranked.resize(std::min<size_t>(ranked.size(), static_cast<size_t>(kAhead * count)));
  const int64_t wanted = count - (count + kRandomly - 1) / kRandomly;
  std::vector<Point> picked;
  if (parts_.picks_unlike)
    picked = PickUnlike(ranked, wanted);
  else
    for (int64_t i = 0; i < std::min(wanted, std::ssize(ranked)); ++i)
      picked.push_back(ranked[static_cast<size_t>(i)].point);
  taken.insert(picked.begin(), picked.end());
  while (std::ssize(picked) < count) {
    const std::optional<Point> drawn = Draw(taken);
    if (!drawn) break;
    picked.push_back(*drawn);
    taken.insert(*drawn);
  }
  std::vector<Candidate> proposed = CandidatesOf(space_, picked);
  Describe(proposed);
  return proposed;
}

std::vector<Point> FirstPoints(const Space& space, int64_t count, uint64_t seed) {
  const std::vector<Point> cheapest = space.Cheapest(count);
  if (std::ssize(cheapest) < count) return cheapest;
  std::mt19937_64 random(seed);
  std::vector<Point> first(cheapest.begin(), cheapest.begin() + (count + 1) / 2);
  std::set<Point> taken(first.begin(), first.end());
  const auto add = [&](const Point& point) {
    if (taken.insert(point).second) first.push_back(point);
  };
  for (int64_t draw = 0; draw < 4 * count && std::ssize(first) < count; ++draw)
    if (const std::optional<Point> drawn = DrawPoint(space, random)) add(*drawn);
  for (size_t i = 0; std::ssize(first) < count; ++i) add(cheapest[i]);
  return first;
}

Examples ExamplesOf(std::span<const Candidate> candidates) {
  Examples examples;
  for (const Candidate& candidate : candidates)
    if (candidate.cost || !candidate.failure.empty())
      examples.push_back({candidate.features, candidate.cost});
  return examples;
}

std::vector<Point> PickUnlike(std::span<const ScoredPoint> ranked, int64_t count) {
  constexpr double kWeight = 0.5;  // of new values of all choices, beside the range of scores
  std::vector<Point> picked;
  if (ranked.empty()) return picked;
  const double least = ranked.back().score, range = ranked.front().score - least;
  std::vector<const ScoredPoint*> left;
  for (const ScoredPoint& one : ranked) left.push_back(&one);
  std::vector<std::set<int64_t>> values(ranked.front().point.size());
  const auto worth = [&](const ScoredPoint* one) {
    double fresh = 0;
    for (size_t i = 0; i < values.size(); ++i) fresh += values[i].contains(one->point[i]) ? 0 : 1;
    return (range > 0 ? (one->score - least) / range : 0) +
           kWeight * fresh / static_cast<double>(values.size());
  };
  while (std::ssize(picked) < count && !left.empty()) {
    const auto best = std::ranges::max_element(left, {}, worth);
    picked.push_back((*best)->point);
    for (size_t i = 0; i < values.size(); ++i) values[i].insert((*best)->point[i]);
    left.erase(best);
  }
  return picked;
}

}  // namespace vta::compiler::tune
