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
#include "tools/vta/common/farm/search.h"
#include "tools/vta/common/workload.h"

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

/// One thing asked of points: why a point does not keep to it, or "".
struct Asked {
  std::string what;
  std::function<std::string(PointFacts&)> why_not;
};

/// What a space asks of its points before cycles are known.
class Gate {
 public:
  /// The space is borrowed.
  explicit Gate(const Space& space);

  struct Look {
    std::optional<PointFacts> facts;  // of a point that keeps to all
    size_t kept = 0;                  // to how many of asked(), the first ones
    std::string why_not;              // to the next one
  };
  Look At(int64_t point) const;
  const Space& space() const { return *space_; }
  /// The first is that parameters go together.
  const std::vector<Asked>& asked() const { return asked_; }

 private:
  const Space* space_;
  std::vector<Asked> asked_;
};

struct Candidates {
  std::vector<PointFacts> points;
  std::vector<Survivors> survivors;
  bool sampled = false;  // the space is larger than what was looked at
};

/// Those that keep to all. Of a space with more than `most` points so many by the seed. Errors:
/// throws Error naming what left none.
Candidates CandidatesOf(const Gate& gate, int64_t most, uint64_t seed);

struct SweepOptions {
  int64_t jobs = 1;
  bool prunes = true;  // then the best ideals are costed first; else any order, by the seed
  uint64_t seed = 1;
  std::chrono::milliseconds limit = std::chrono::minutes(5);  // of a point
  std::optional<std::chrono::steady_clock::time_point> end;   // of the sweep
  std::function<void()> on_wait = {};                         // as of ProcessLimits
  FarmSearch* farm = nullptr;  // borrowed; whose workers cost the points, if there is one
};

/// What the front is of: all values small. Nothing where the point is outside the constraints on
/// time and energy: it is never on the front.
using ObjectiveValues = std::function<std::vector<double>(const PointFacts&, const PointResult&)>;

/// Costs the point of each job: by workers of the farm, if there is one and no RTL is asked for, or
/// in processes beside this one. Errors: as RunInProcesses or FarmSearch; what `done` throws.
void CostPoints(const NextJob& next, const ProcessLimits& limits, FarmSearch* farm,
                const Workload& workload, const Workload::Costing& costing,
                const std::function<const PointFacts&(int64_t job)>& facts_of,
                const std::function<bool(const PointFacts&, PointResult)>& done);

/// Costs the points that `known` has not. A point whose best is beaten by another one already is
/// not compiled. `done` is told each new result, once it is in the file, where what is
/// pruned does not stand: another day it may not be. Errors: those of the file;
/// a point that fails is a result.
void Sweep(const Workload& workload, const std::vector<PointFacts>& points,
           const SweepOptions& options, const ObjectiveValues& values, ResultsWriter& writer,
           std::map<int64_t, PointResult>& known,
           const std::function<void(const PointFacts&, const PointResult&)>& done);

}  // namespace vta::tools
