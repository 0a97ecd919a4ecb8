// What a space's points come to: the front, what each parameter does, and the files that say so.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "isa/support/json.h"
#include "tools/vta/explore/accuracy.h"
#include "tools/vta/explore/sweep.h"

namespace vta::tools {

/// What the front is of. All are made small.
enum class Objective : uint8_t { kLatency, kArea, kEnergy, kError };
inline constexpr std::string_view kObjectives[] = {"latency", "area", "energy", "error"};

/// A costed point in a user's units, over the workload: means by the networks' weights.
struct PointRow {
  const PointFacts* facts = nullptr;
  const PointResult* result = nullptr;
  double latency_ms = 0, fps = 0, energy_mj = 0;
  double area = 0;  // the largest share of what the part offers; without a part, lanes of MACs
  std::optional<double> error;  // percent of the samples, where there are some
  bool on_front = false, on_rtl = false;
};

/// Which constraint on time or energy it misses, or, where its hardware was counted and timed, on
/// the part or its own clock; "" where it keeps to all.
std::string Missed(const PointRow& row, const Constraints& constraints);

double ValueOf(const PointRow& row, Objective objective);

/// What became of points of the front: their costs with searched schedules, and which of them the
/// RTL has confirmed.
struct Confirmed {
  std::map<int64_t, PointResult> results;
  std::vector<int64_t> on_rtl;
  double seconds = 0;
};

/// What vta run has to be given to take the cycles of the front.
struct ReadWith {
  std::string assume;
  std::vector<std::string> dims;
  int64_t effort = 0;
};

/// Which configs the second look took off the front, and why; and which it put there.
struct FrontChanges {
  std::vector<std::pair<std::string, std::string>> left;
  std::vector<std::string> came;
};

struct Exploration {
  const Space* space = nullptr;
  const Workload* workload = nullptr;
  OutputErrors* accuracy = nullptr;
  std::vector<Objective> objectives;
  Candidates candidates;
  std::string search;  // "all", or how points were chosen
  ReadWith read_with;
  std::map<int64_t, PointResult> results;
  Confirmed confirmed;  // in place of those results
  FrontChanges changes;
  std::map<int64_t, std::map<size_t, std::string>> reports;  // by point and network: files
  double seconds = 0;                                        // of this call
  int64_t costed = 0;                                        // by this call
};

PointRow RowOf(const Exploration& exploration, const PointFacts& facts, const PointResult& result);

/// The costed points that keep to the constraints on time and energy, the front among them, in the
/// order of the first objective.
std::vector<PointRow> RowsOf(const Exploration& exploration);

/// From the front of `before` to that of `after`.
FrontChanges ChangesOf(const Exploration& exploration, const std::vector<PointRow>& before,
                       const std::vector<PointRow>& after);

/// For people: counts, the front as a table, what each parameter does.
std::string TextOf(const Exploration& exploration, const std::vector<PointRow>& rows);
/// Every key of it stands in docs/schemas/vta-explore.json.
Json JsonOf(const Exploration& exploration, const std::vector<PointRow>& rows);

}  // namespace vta::tools
