#include "tools/vta/bench/searches.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "compiler/tune/tuner.h"
#include "tools/search/boosted_trees.h"

namespace vta::tools {

using compiler::tune::Candidate;
using compiler::tune::Examples;
using compiler::tune::Point;
using compiler::tune::Proposer;
using compiler::tune::Tuner;

namespace {

/// The share of pairs that scores order as costs do.
double RankedByScores(std::span<const Candidate> candidates, std::span<const double> scores) {
  constexpr double kChance = 1.02;
  double pairs = 0, right = 0;
  for (size_t i = 0; i < candidates.size(); ++i)
    for (size_t j = 0; j < candidates.size(); ++j) {
      const auto &a = candidates[i].cost, &b = candidates[j].cost;
      if (!a || !b || static_cast<double>(*a) * kChance > static_cast<double>(*b)) continue;
      ++pairs;
      right += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
    }
  return pairs > 0 ? right / pairs : NAN;
}

}  // namespace

std::vector<Candidate> SearchAtRandom(const SearchedSpace& searched, std::vector<Point> points,
                                      uint64_t seed) {
  std::mt19937_64 random(seed);
  const size_t count = std::min<size_t>(points.size(), static_cast<size_t>(searched.trials));
  for (size_t i = 0; i < count; ++i)
    std::swap(points[i], points[i + random() % (points.size() - i)]);
  points.resize(count);
  std::vector<Candidate> candidates = CandidatesOf(searched.space, points);
  searched.measure(candidates);
  return candidates;
}

std::vector<Candidate> SearchByModel(const SearchedSpace& searched, std::vector<Candidate> first,
                                     const std::vector<Examples>& others, Proposer* proposer) {
  std::vector<const Examples*> known;
  for (const Examples& examples : others) known.push_back(&examples);
  std::vector<Candidate> batch = std::move(first), candidates;
  proposer->Describe(batch);
  while (!batch.empty()) {
    searched.measure(batch);
    candidates.insert(candidates.end(), batch.begin(), batch.end());
    const int64_t left = std::min(searched.trials - std::ssize(candidates), Tuner::kBatch);
    batch.clear();
    if (left > 0) batch = proposer->Propose(left, candidates, known);
  }
  return candidates;
}

double RankedBy(const std::vector<Examples>& examples, std::span<const Candidate> candidates) {
  std::vector<const Examples*> workloads;
  for (const Examples& one : examples) workloads.push_back(&one);
  BoostedTrees model;
  model.Fit(workloads);
  std::vector<const compiler::loop::Features*> features;
  for (const Candidate& candidate : candidates) features.push_back(&candidate.features);
  return RankedByScores(candidates, model.Score(features));
}

std::vector<Candidate> Without(std::span<const Candidate> candidates,
                               std::span<const Candidate> others) {
  std::vector<Candidate> rest;
  for (const Candidate& candidate : candidates)
    if (std::ranges::find(others, candidate.point, &Candidate::point) == others.end())
      rest.push_back(candidate);
  return rest;
}

}  // namespace vta::tools
