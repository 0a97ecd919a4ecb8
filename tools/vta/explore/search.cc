#include "tools/vta/explore/search.h"

#include <algorithm>
#include <random>

#include "isa/support/error.h"
#include "tools/search/evolve.h"
#include "tools/shared/log.h"

namespace vta::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kAll[] = "all";
constexpr int64_t kFewest = 8, kLargest = 64;  // points of a generation
constexpr int64_t kMostIdle = 20;              // generations without a new point
constexpr double kWorst = 1e30;                // of a point that is refused

/// A multiple of 4.
int64_t GenerationOf(int64_t most, int64_t points) {
  return std::min(std::clamp(most / 16, kFewest, kLargest), points) / 4 * 4;
}

}  // namespace

Searcher::Searcher(const SearchOptions& options, const SweepOptions& sweep, const Sinks& sinks,
                   std::map<int64_t, PointResult> kept, Exploration* exploration)
    : options_(options),
      sweep_(sweep),
      sinks_(sinks),
      kept_(std::move(kept)),
      exploration_(*exploration) {}

void Searcher::Run(const Gate& gate) {
  std::vector<PointFacts>& points = exploration_.candidates.points;
  if (!exploration_.candidates.sampled && std::ssize(points) <= options_.most) {
    exploration_.search = kAll;
    return CostAll();
  }
  exploration_.search = options_.by;
  std::mt19937_64 random(options_.seed);
  std::ranges::shuffle(points, random);
  const int64_t generation =
      GenerationOf(options_.most, std::min(options_.most, std::ssize(points)));
  if (options_.by == kSearches[0] && generation >= kFewest) {
    points.resize(static_cast<size_t>(generation));
    return Breed(gate);
  }
  points.resize(static_cast<size_t>(std::min(options_.most, std::ssize(points))));
  CostAll();
}

/// Nothing where the point misses a constraint.
std::vector<double> Searcher::Values(const PointFacts& facts, const PointResult& result) const {
  // What was looked at once more counts as that found it.
  const auto again = exploration_.confirmed.results.find(facts.point);
  const PointRow row = RowOf(
      exploration_, facts, again == exploration_.confirmed.results.end() ? result : again->second);
  std::vector<double> own;
  if (!Missed(row, exploration_.space->constraints()).empty()) return own;
  for (const Objective objective : exploration_.objectives) own.push_back(ValueOf(row, objective));
  return own;
}

void Searcher::CostAll() {
  const auto& points = exploration_.candidates.points;
  auto& results = exploration_.results;
  for (const PointFacts& one : points)
    if (const auto found = kept_.find(one.point); found != kept_.end()) {
      results.insert(*found);
      AskError(one, found->second);
    }
  const int64_t all = exploration_.search == kSearches[0] ? options_.most : std::ssize(points);
  Sweep(
      *exploration_.workload, points, sweep_,
      [this](const PointFacts& facts, const PointResult& result) { return Values(facts, result); },
      *sinks_.writer, results,
      [&](const PointFacts& facts, const PointResult& result) {
        sinks_.progress->Count(std::ssize(results), all);
        sinks_.progress->At(facts.config.name);
        exploration_.costed += result.end != PointResult::End::kPruned;
        AskError(facts, result);
        if (result.end == PointResult::End::kFailed)
          Log(LogLevel::kWarning, StrCat(facts.config.name, ": ", result.why));
      });
}

void Searcher::AskError(const PointFacts& facts, const PointResult& result) {
  if (!exploration_.accuracy || result.end != PointResult::End::kCosted) return;
  sinks_.progress->At("accuracy of " + facts.config.name);
  exploration_.accuracy->ErrorOf(facts.config);
}

bool Searcher::CostUnbeaten() {
  if (sweep_.end && Clock::now() >= *sweep_.end) return false;
  const int64_t before = exploration_.costed;
  std::erase_if(exploration_.results,
                [](const auto& one) { return one.second.end == PointResult::End::kPruned; });
  CostAll();
  return exploration_.costed > before;
}

void Searcher::Breed(const Gate& gate) {
  const Space& space = *exploration_.space;
  auto& points = exploration_.candidates.points;
  Breeding breeding{{}, exploration_.objectives.size(), options_.seed};
  for (const SpaceParameter& one : space.parameters())
    breeding.values.push_back(std::ssize(one.values));
  std::vector<Genes> first;
  // Of each point that was looked at, where it stands; kNone where it is refused.
  constexpr size_t kNone = SIZE_MAX;
  std::map<int64_t, size_t> places;
  for (const PointFacts& one : points) {
    places[one.point] = first.size();
    first.push_back(space.PointAt(one.point));
  }
  int64_t idle = 0;
  const auto values = [&](const std::vector<Genes>& generation) {
    const size_t before = points.size();
    for (const Genes& one : generation) {
      const int64_t point = space.IndexOf(one);
      if (places.contains(point) || std::ssize(points) >= options_.most) continue;
      Gate::Look look = gate.At(point);
      places[point] = look.facts ? points.size() : kNone;
      if (look.facts) points.push_back(*std::move(look.facts));
    }
    idle = points.size() > before ? 0 : idle + 1;
    CostAll();
    std::vector<std::vector<double>> rows;
    for (const Genes& one : generation) {
      const auto place = places.find(space.IndexOf(one));
      std::vector<double>& row = rows.emplace_back();
      if (place != places.end() && place->second != kNone) row = FitnessOf(points[place->second]);
      if (row.empty()) row.assign(breeding.objectives, kWorst);
    }
    return rows;
  };
  Evolve(breeding, first, values, [&] {
    return idle < kMostIdle && std::ssize(points) < options_.most &&
           (!sweep_.end || Clock::now() < *sweep_.end);
  });
}

/// Of a point that is not compiled because its ideal is beaten, its ideal's.
std::vector<double> Searcher::FitnessOf(const PointFacts& facts) const {
  const auto found = exploration_.results.find(facts.point);
  if (found == exploration_.results.end()) return {};
  using End = PointResult::End;
  if (found->second.end == End::kCosted) return Values(facts, found->second);
  if (found->second.end != End::kPruned) return {};
  return Values(facts, exploration_.workload->LeastOn(facts.point, facts.config));
}

}  // namespace vta::tools
