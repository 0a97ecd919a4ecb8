#include "compiler/tune/proposer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/compiler/tune/fake_space.h"
#include "tests/unit/compiler/tune/wide_space.h"

namespace vta::compiler::tune {
namespace {

/// Knows what features cost, by a function; or that all are alike.
class KnowingModel : public CostModel {
 public:
  explicit KnowingModel(std::function<double(const loop::Features&)> score)
      : score_(std::move(score)) {}
  void Fit(std::span<const Examples* const> workloads) override {
    fitted_.assign(1, {});
    for (const Examples* examples : workloads) fitted_.push_back(*examples);
  }
  std::vector<double> Score(std::span<const loop::Features* const> candidates) const override {
    ++calls_;
    std::vector<double> scores;
    for (const loop::Features* features : candidates) scores.push_back(score_(*features));
    return scores;
  }
  const std::vector<Examples>& fitted() const { return fitted_; }
  int64_t calls() const { return calls_; }

 private:
  const std::function<double(const loop::Features&)> score_;
  std::vector<Examples> fitted_;
  mutable int64_t calls_ = 0;
};

/// Of a WideSpace: the values that tell a cost, but for what is left over.
double ScoreOf(const loop::Features& features) {
  const auto off = [&](size_t i, double best) {
    return std::abs(static_cast<double>(features.values[i]) - 8 * std::log2(best));
  };
  return -(off(4, 1) + off(5, 96) + off(6, 18));
}

std::vector<Point> PointsOf(std::span<const Candidate> candidates) {
  std::vector<Point> points;
  for (const Candidate& candidate : candidates) points.push_back(candidate.point);
  return points;
}

TEST(Annealing, FindsTheBestOfManyPoints) {
  const WideSpace space(28);
  int64_t scored = 0;
  const ScorePoints score = [&](std::span<const Point> points) {
    std::vector<double> scores;
    for (const Point& point : points) {
      EXPECT_TRUE(space.Has(point));
      scores.push_back(-static_cast<double>(space.CostOf(point)) / 1000);
    }
    scored += std::ssize(points);
    return scores;
  };
  int64_t best = INT64_MAX;
  for (const Point& point : space.Cheapest(INT64_MAX)) best = std::min(best, space.CostOf(point));
  for (const uint64_t seed : {1, 2, 3}) {
    std::mt19937_64 random(seed), again(seed), other(seed + 1);
    scored = 0;
    const std::vector<ScoredPoint> found = Anneal(space, {}, score, random);
    EXPECT_EQ(scored, std::ssize(found));  // none twice
    EXPECT_LT(scored, 6000);               // of 12,528
    EXPECT_TRUE(std::ranges::is_sorted(found, std::greater(), &ScoredPoint::score));
    EXPECT_LE(space.CostOf(found[0].point), best + best / 20);
    const auto points = [&](std::mt19937_64& numbers) {
      std::vector<Point> list;
      for (const ScoredPoint& one : Anneal(space, {}, score, numbers)) list.push_back(one.point);
      return list;
    };
    const std::vector<Point> repeated = points(again);
    EXPECT_TRUE(std::ranges::equal(repeated, found, {}, {}, &ScoredPoint::point));
    EXPECT_NE(points(other), repeated);
  }
}

TEST(FirstPoints, AreTheCheapestAndSomeThatAreDrawn) {
  const WideSpace space(28);
  const std::vector<Point> first = FirstPoints(space, 16, 1), cheapest = space.Cheapest(16);
  ASSERT_EQ(std::ssize(first), 16);
  EXPECT_TRUE(std::equal(first.begin(), first.begin() + 8, cheapest.begin()));
  EXPECT_EQ(std::ssize(std::set<Point>(first.begin(), first.end())), 16);
  int64_t dear = 0;
  for (const Point& point : first) {
    EXPECT_TRUE(space.Has(point));
    dear += space.Estimate(point) > 2 * space.Estimate(cheapest.back());
  }
  EXPECT_GE(dear, 4);
  EXPECT_EQ(FirstPoints(space, 16, 1), first);
  EXPECT_NE(FirstPoints(space, 16, 2), first);
  EXPECT_EQ(FirstPoints(space, 1, 1), space.Cheapest(1));
  // A space that has no more.
  EXPECT_EQ(FirstPoints(space, 1'000'000, 1), space.Cheapest(1'000'000));
}

TEST(Annealing, BeginsWhereItIsTold) {
  const WideSpace space(28);
  const std::vector<Point> starts = {{8, 8, 12, 12}};
  const ScorePoints score = [&](std::span<const Point> points) {
    std::vector<double> scores;
    for (const Point& point : points) scores.push_back(point == starts[0] ? 1 : 0);
    return scores;
  };
  std::mt19937_64 random(1);
  EXPECT_EQ(Anneal(space, starts, score, random)[0].point, starts[0]);
}

TEST(Proposer, PicksWhatIsUnlike) {
  const std::vector<ScoredPoint> ranked = {
      {{1, 1}, 1.0}, {{1, 2}, 0.95}, {{2, 1}, 0.9}, {{3, 3}, 0.8}, {{1, 3}, 0.0}};
  EXPECT_EQ(PickUnlike(ranked, 1), (std::vector<Point>{{1, 1}}));
  EXPECT_EQ(PickUnlike(ranked, 2), (std::vector<Point>{{1, 1}, {3, 3}}));
  EXPECT_EQ(PickUnlike(ranked, 9).size(), ranked.size());
  EXPECT_THAT(PickUnlike({}, 2), testing::IsEmpty());
}

TEST(Proposer, ProposesWhatTheModelRanksFirst) {
  const WideSpace space(28);
  const auto best_of = [&](const std::function<double(const loop::Features&)>& score,
                           uint64_t seed) {
    KnowingModel model(score);
    Proposer proposer(space, &model, seed, 1);
    std::vector<Candidate> first = CandidatesOf(space, space.Cheapest(16));
    proposer.Describe(first);
    int64_t best = INT64_MAX;
    for (const Candidate& candidate : proposer.Propose(16, first, {}))
      best = std::min(best, space.CostOf(candidate.point));
    return best;
  };
  for (const uint64_t seed : {1, 2, 3}) {
    EXPECT_LT(best_of(ScoreOf, seed), 1400);
    EXPECT_GT(best_of([](const loop::Features&) { return 0; }, seed), 1400);
  }
}

/// Without annealing a proposer ranks all that it drew at once; without unlike picks it takes the
/// best of what it ranked, the best first.
TEST(Proposer, DoesWithoutItsParts) {
  const WideSpace space(28);
  const auto proposed = [&](ProposerParts parts, int64_t* calls) {
    KnowingModel model(ScoreOf);
    Proposer proposer(space, &model, 7, 1, parts);
    std::vector<Candidate> first = CandidatesOf(space, space.Cheapest(16));
    proposer.Describe(first);
    std::vector<Candidate> next = proposer.Propose(16, first, {});
    *calls = model.calls();
    std::vector<double> scores;
    for (const Candidate& candidate : next) scores.push_back(ScoreOf(candidate.features));
    scores.pop_back();  // which is drawn at random
    return scores;
  };
  const auto is_best_first = [](const std::vector<double>& scores) {
    return std::ranges::is_sorted(scores, std::greater());
  };
  int64_t calls = 0;
  const std::vector<double> whole = proposed({}, &calls);
  EXPECT_GT(calls, 10);
  EXPECT_FALSE(is_best_first(whole));
  const std::vector<double> alike = proposed({.picks_unlike = false}, &calls);
  EXPECT_GT(calls, 10);
  EXPECT_TRUE(is_best_first(alike));
  EXPECT_EQ(alike[0], whole[0]);
  proposed({.anneals = false}, &calls);
  EXPECT_EQ(calls, 1);
}

TEST(Proposer, ProposesNothingTwice) {
  const WideSpace space(28);
  for (const int64_t jobs : {1, 3}) {
    KnowingModel model(ScoreOf), other(ScoreOf);
    Proposer proposer(space, &model, 7, 1), twin(space, &other, 7, jobs);
    std::vector<Candidate> all = CandidatesOf(space, space.Cheapest(16));
    proposer.Describe(all);
    for (int batch = 0; batch < 6; ++batch) {
      for (Candidate& candidate : all) candidate.cost = space.CostOf(candidate.point);
      const std::vector<Candidate> proposed = proposer.Propose(16, all, {});
      EXPECT_EQ(PointsOf(proposed), PointsOf(twin.Propose(16, all, {})));
      ASSERT_EQ(proposed.size(), 16);
      for (const Candidate& candidate : proposed) {
        EXPECT_EQ(candidate.features, space.FeaturesOf(candidate.point));
        EXPECT_EQ(candidate.estimate, space.Estimate(candidate.point));
        EXPECT_FALSE(candidate.cost);
        EXPECT_EQ(std::ranges::count(all, candidate.point, &Candidate::point), 0);
        all.push_back(candidate);
      }
      // It learned from what had a cost.
      EXPECT_EQ(model.fitted().back().size(), all.size() - proposed.size());
    }
  }
}

/// All points of a small space are ranked, in the end all are proposed, and then nothing is.
TEST(Proposer, ExhaustsASpace) {
  const FakeSpace space;
  KnowingModel model([](const loop::Features&) { return 0; });
  Proposer proposer(space, &model, 7, 1);
  std::vector<Candidate> all = CandidatesOf(space, space.Cheapest(4));
  for (const size_t count : {8, 6, 0}) {
    const std::vector<Candidate> proposed = proposer.Propose(8, all, {});
    EXPECT_EQ(proposed.size(), count);
    all.insert(all.end(), proposed.begin(), proposed.end());
  }
  std::vector<Point> points = PointsOf(all), wanted = space.Cheapest(100);
  EXPECT_THAT(points, testing::UnorderedElementsAreArray(wanted));
}

TEST(Proposer, ModelsAreToldOfOtherWorkloads) {
  const WideSpace space(28);
  KnowingModel model(ScoreOf);
  Proposer proposer(space, &model, 7, 1);
  std::vector<Candidate> all = CandidatesOf(space, space.Cheapest(3));
  proposer.Describe(all);
  all[0].cost = 5, all[1].failure = "trial: stuck";  // the third is untried
  const Examples other = {{{5, std::vector<int32_t>(9)}, 100}};
  const Examples* const others[] = {&other};
  proposer.Propose(4, all, others);
  ASSERT_EQ(model.fitted().size(), 3);
  EXPECT_EQ(model.fitted()[1].at(0).cost, 100);
  ASSERT_EQ(model.fitted()[2].size(), 2);
  EXPECT_EQ(model.fitted()[2][0].cost, 5);
  EXPECT_EQ(model.fitted()[2][1].cost, std::nullopt);
  EXPECT_EQ(model.fitted()[2][1].features, space.FeaturesOf(all[1].point));
}

}  // namespace
}  // namespace vta::compiler::tune
