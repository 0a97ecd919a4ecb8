// Simulated annealing on the points of a space.
#pragma once

#include <functional>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "compiler/tune/space.h"

namespace vta::compiler::tune {

/// Higher is better. Called with points that the space has, each of them once.
using ScorePoints = std::function<std::vector<double>(std::span<const Point>)>;

struct ScoredPoint {
  Point point;
  double score = 0;
};

/// A point of the domains that the space has, drawn evenly; nothing where none was met.
std::optional<Point> DrawPoint(const Space& space, std::mt19937_64& random);

/// What chains met that begin at `starts` and at random points, the best first: a step changes one
/// choice, and a worse point is taken the less likely, the later it is.
std::vector<ScoredPoint> Anneal(const Space& space, std::span<const Point> starts,
                                const ScorePoints& score, std::mt19937_64& random);

}  // namespace vta::compiler::tune
