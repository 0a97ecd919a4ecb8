// The cost model, and searches by it beside random ones, on costs that are arithmetic.
#include "tools/search/boosted_trees.h"

#include <gtest/gtest.h>

#include <map>

#include "compiler/tune/proposer.h"
#include "compiler/tune/tuner.h"
#include "tests/unit/compiler/tune/wide_space.h"

namespace vta::tools {
namespace {

using compiler::loop::Features;
using compiler::tune::Candidate;
using compiler::tune::CostModel;
using compiler::tune::Example;
using compiler::tune::Examples;
using compiler::tune::Point;
using compiler::tune::Proposer;
using compiler::tune::Tuner;
using compiler::tune::WideSpace;

constexpr uint64_t kSeeds[] = {1, 2, 3};

void SetCosts(const WideSpace& space, std::vector<Candidate>* candidates) {
  for (Candidate& candidate : *candidates) candidate.cost = space.CostOf(candidate.point);
}

std::vector<Candidate> Drawn(const WideSpace& space, int64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Point> points;
  while (std::ssize(points) < count) points.push_back(*DrawPoint(space, random));
  std::vector<Candidate> candidates = CandidatesOf(space, points);
  SetCosts(space, &candidates);
  for (Candidate& candidate : candidates) candidate.features = space.FeaturesOf(candidate.point);
  return candidates;
}

/// The share of pairs that the model orders as costs do.
double Ranked(const CostModel& model, const std::vector<Candidate>& candidates) {
  std::vector<const Features*> features;
  for (const Candidate& candidate : candidates) features.push_back(&candidate.features);
  const std::vector<double> scores = model.Score(features);
  double pairs = 0, right = 0;
  for (size_t i = 0; i < scores.size(); ++i)
    for (size_t j = 0; j < scores.size(); ++j)
      if (*candidates[i].cost < *candidates[j].cost) ++pairs, right += scores[i] > scores[j];
  return right / pairs;
}

/// As Tuner searches: the best cost after each batch.
std::vector<int64_t> Searched(const WideSpace& space, CostModel* model, uint64_t seed,
                              const Examples* other = nullptr) {
  constexpr int kBatches = 6;
  Proposer proposer(space, model, seed, 1);
  std::vector<const Examples*> others;
  if (other) others.push_back(other);
  std::vector<Candidate> all = CandidatesOf(space, space.Cheapest(Tuner::kBatch));
  proposer.Describe(all);
  std::vector<int64_t> bests;
  for (int batch = 0; batch < kBatches; ++batch) {
    SetCosts(space, &all);
    bests.push_back(*compiler::tune::Best(all)->cost);
    for (Candidate& candidate : proposer.Propose(Tuner::kBatch, all, others))
      all.push_back(std::move(candidate));
  }
  return bests;
}

int64_t BestOfRandom(const WideSpace& space, uint64_t seed) {
  constexpr int64_t kTrials = 6 * Tuner::kBatch;
  return *compiler::tune::Best(Drawn(space, kTrials, seed))->cost;
}

class ConstantModel : public CostModel {
 public:
  void Fit(std::span<const Examples* const>) override {}
  std::vector<double> Score(std::span<const Features* const> candidates) const override {
    return std::vector<double>(candidates.size());
  }
};

TEST(BoostedTrees, LearnAnOrder) {
  const WideSpace space(28);
  BoostedTrees model;
  const std::vector<Candidate> held_out = Drawn(space, 200, 9);
  EXPECT_EQ(Ranked(model, held_out), 0);  // nothing is learned: all are alike
  const Examples examples = ExamplesOf(Drawn(space, 128, 1));
  const Examples* const workloads[] = {&examples};
  model.Fit(workloads);
  EXPECT_GT(Ranked(model, held_out), 0.85);
  model.Fit({});
  EXPECT_EQ(Ranked(model, held_out), 0);
}

TEST(BoostedTrees, TheSameEachTime) {
  const WideSpace space(28), other(56);
  const Examples a = ExamplesOf(Drawn(space, 64, 1)), b = ExamplesOf(Drawn(other, 64, 1));
  const Examples* const workloads[] = {&a, &b};
  const std::vector<Candidate> held_out = Drawn(space, 50, 9);
  std::vector<const Features*> features;
  for (const Candidate& candidate : held_out) features.push_back(&candidate.features);
  BoostedTrees first, second;
  first.Fit(workloads);
  second.Fit(std::span(workloads).first(1));  // is forgotten
  EXPECT_NE(first.Score(features), second.Score(features));
  second.Fit(workloads);
  EXPECT_EQ(first.Score(features), second.Score(features));
}

/// Costs of workloads are not compared: one that takes a hundred times as long says as much.
TEST(BoostedTrees, WorkloadsAreApart) {
  const WideSpace space(28), other(56);
  Examples a = ExamplesOf(Drawn(space, 64, 1)), b = ExamplesOf(Drawn(other, 64, 1));
  const std::vector<Candidate> held_out = Drawn(space, 50, 9);
  const Examples* const workloads[] = {&a, &b};
  std::vector<double> ranked;
  for (int time = 0; time < 2; ++time) {
    BoostedTrees model;
    model.Fit(workloads);
    ranked.push_back(Ranked(model, held_out));
    for (Example& example : b) *example.cost *= 100;
  }
  EXPECT_EQ(ranked[0], ranked[1]);
}

TEST(BoostedTrees, WhatFailedComesLast) {
  const WideSpace space(28);
  Examples examples = ExamplesOf(Drawn(space, 128, 1));
  const auto fails = [](const Features& features) { return features.values[3] == 0; };
  for (Example& example : examples)
    if (fails(example.features)) example.cost.reset();
  const Examples* const workloads[] = {&examples};
  BoostedTrees model;
  model.Fit(workloads);
  std::map<bool, std::pair<double, double>> sums;  // by whether they fail
  for (const Candidate& candidate : Drawn(space, 400, 9)) {
    const Features* const features = &candidate.features;
    auto& [sum, count] = sums[fails(candidate.features)];
    sum += model.Score({&features, 1})[0], ++count;
  }
  EXPECT_LT(sums[true].first / sums[true].second, sums[false].first / sums[false].second - 1);
}

TEST(Search, ByTheModelIsBetterThanAtRandom) {
  for (const int64_t size : {14, 50})
    for (const uint64_t seed : kSeeds) {
      const WideSpace space(size);
      BoostedTrees model;
      EXPECT_LT(Searched(space, &model, seed).back(), 0.8 * BestOfRandom(space, seed))
          << size << ", seed " << seed;
    }
}

/// So what it finds is what the model knows.
TEST(Search, WithoutAModelIsNoBetterThanAtRandom) {
  double search = 0, random = 0;
  for (const int64_t size : {14, 50})
    for (const uint64_t seed : kSeeds) {
      const WideSpace space(size);
      ConstantModel model;
      search += static_cast<double>(Searched(space, &model, seed).back());
      random += static_cast<double>(BestOfRandom(space, seed));
    }
  EXPECT_GT(search, 0.9 * random);
}

TEST(Search, IsTheSameEachTime) {
  const WideSpace space(28);
  for (const uint64_t seed : kSeeds) {
    BoostedTrees model, again;
    EXPECT_EQ(Searched(space, &model, seed), Searched(space, &again, seed));
  }
}

/// Trials of one workload make those of another fewer.
TEST(Search, IsWarmedByOtherWorkloads) {
  int64_t alone = 0, warmed = 0;  // batches until a search is near the best
  const WideSpace space(28);
  const Examples other = ExamplesOf(Drawn(WideSpace(56), 200, 5));
  int64_t best = INT64_MAX;
  for (const Point& point : space.Cheapest(INT64_MAX)) best = std::min(best, space.CostOf(point));
  const auto batches = [&](const std::vector<int64_t>& bests) {
    return std::ranges::count_if(bests, [&](int64_t cost) { return cost > best + best / 10; });
  };
  for (const uint64_t seed : kSeeds) {
    BoostedTrees model, warm;
    alone += batches(Searched(space, &model, seed));
    warmed += batches(Searched(space, &warm, seed, &other));
  }
  EXPECT_LT(warmed, alone);
}

}  // namespace
}  // namespace vta::tools
