// What to try next of a space, by a cost model that learned from trials.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "compiler/tune/annealing.h"
#include "compiler/tune/candidates.h"
#include "compiler/tune/cost_model.h"
#include "compiler/tune/space.h"

namespace vta::compiler::tune {

/// What proposing can do without, which shows what each gives.
struct ProposerParts {
  bool anneals = true;       // in a large space; else as many points are drawn at random
  bool picks_unlike = true;  // else the best, however alike they are
};

/// Of one space, whose points have features. The same calls give the same points, whatever `jobs`,
/// which says how many points are described at once.
class Proposer {
 public:
  Proposer(const Space& space, CostModel* model, uint64_t seed, int64_t jobs,
           ProposerParts parts = {});

  /// Sets their features.
  void Describe(std::span<Candidate> candidates);
  /// Others than the candidates, which are described: of the best scores those that are unlike each
  /// other, and some at random. Fewer where the space has no more. `others`: what is known of other
  /// workloads.
  std::vector<Candidate> Propose(int64_t count, std::span<const Candidate> candidates,
                                 std::span<const Examples* const> others);

 private:
  void Describe(std::span<const Point> points);
  std::vector<double> Score(std::span<const Point> points);
  std::vector<ScoredPoint> Ranked(std::span<const Candidate> candidates);
  std::vector<ScoredPoint> RankedOf(const std::vector<Point>& points);
  /// One that is not taken, at random; nothing where there is none, or none was met.
  std::optional<Point> Draw(const std::set<Point>& taken);

  const Space& space_;
  CostModel& model_;
  std::mt19937_64 random_;
  const int64_t jobs_;
  const ProposerParts parts_;
  std::vector<Point> all_;  // where these are few enough to be ranked, all
  std::map<Point, loop::Features> features_;
};

/// What a search that learns begins with: half of it the lowest estimates, half drawn, from which
/// the model learns what estimates do not know. Fewer where the space has no more.
std::vector<Point> FirstPoints(const Space& space, int64_t count, uint64_t seed);

/// Those that were tried.
Examples ExamplesOf(std::span<const Candidate> candidates);

/// Of points, the best first, so many that are unlike each other: each is of those left the one
/// that is best by its score and by how many of its values none before has.
std::vector<Point> PickUnlike(std::span<const ScoredPoint> ranked, int64_t count);

}  // namespace vta::compiler::tune
