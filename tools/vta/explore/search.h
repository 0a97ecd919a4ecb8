// Which points of a space are costed: all of them, or where they are too many, points that are bred
// of those that nothing beats, or any.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/vta/common/progress.h"
#include "tools/vta/explore/summary.h"

namespace vta::tools {

/// Of spaces with more points than are costed: NSGA-II, or by chance.
inline constexpr const char* kSearches[] = {"nsga2", "random"};

struct SearchOptions {
  int64_t most = 2'000;  // points
  std::string by = kSearches[0];
  uint64_t seed = 1;
};

class Searcher {
 public:
  /// Where results go, and who is told of them.
  struct Sinks {
    ResultsWriter* writer = nullptr;
    Progress* progress = nullptr;
  };
  /// `kept`: of points that were costed before. All but that is borrowed.
  Searcher(const SearchOptions& options, const SweepOptions& sweep, const Sinks& sinks,
           std::map<int64_t, PointResult> kept, Exploration* exploration);

  /// Costs those of `exploration->candidates`, or as many as are wanted; the candidates are then
  /// the points that were chosen. Errors: as Sweep.
  void Run(const Gate& gate);

  /// Once more those that were pruned and whose ideal nothing beats any more, since what did has
  /// left the front. Whether there were such.
  bool CostUnbeaten();

 private:
  std::vector<double> Values(const PointFacts& facts, const PointResult& result) const;
  std::vector<double> FitnessOf(const PointFacts& facts) const;
  /// Of a point that is costed, whose network can be compiled for it.
  void AskError(const PointFacts& facts, const PointResult& result);
  void CostAll();
  void Breed(const Gate& gate);

  const SearchOptions& options_;
  const SweepOptions& sweep_;
  const Sinks sinks_;
  std::map<int64_t, PointResult> kept_;
  Exploration& exploration_;
};

}  // namespace vta::tools
