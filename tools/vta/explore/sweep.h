// Costs the points of a space: each in a process of its own, as lines of a file that grows.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/area/predict.h"
#include "tools/explore/results.h"
#include "tools/explore/space.h"
#include "tools/vta/explore/workload.h"

namespace vta::tools {

/// What is known of a point before a network is compiled for it.
struct PointFacts {
  int64_t point = 0;
  isa::Config config;
  std::optional<AreaPrediction> area;  // where the space names a part
};

/// How many points are left behind each thing asked of them, from all there are on.
struct Survivors {
  std::string what;  // "points", "DSP at most 90 % of xc7z020's 220", ...
  int64_t left = 0;
  std::string why;  // of the first point that went
};

struct Candidates {
  std::vector<PointFacts> points;
  std::vector<Survivors> survivors;
  bool sampled = false;  // the space is larger than what was looked at
};

/// Those that keep to the constraints that need no cycles. Of a space with more than `most` points
/// so many by the seed. Errors: throws Error naming the constraint that left none.
Candidates CandidatesOf(const Space& space, int64_t most, uint64_t seed);

struct SweepOptions {
  int64_t jobs = 1;
  bool prunes = true;  // then the best ideals are costed first; else any order, by the seed
  uint64_t seed = 1;
  std::chrono::milliseconds limit = std::chrono::minutes(5);  // of a point
  std::optional<std::chrono::steady_clock::time_point> end;   // of the sweep
};

/// What the front is of: all values small.
using ObjectiveValues = std::function<std::vector<double>(const PointFacts&, const PointResult&)>;

/// Costs the points that `known` has not. A point whose best is beaten by another one already is
/// not compiled. `done` is told each new result, once it is in the file. Errors: those of the file;
/// a point that fails is a result.
void Sweep(const Workload& workload, const std::vector<PointFacts>& points,
           const SweepOptions& options, const ObjectiveValues& values, ResultsWriter& writer,
           std::map<int64_t, PointResult>& known,
           const std::function<void(const PointFacts&, const PointResult&)>& done);

}  // namespace vta::tools
