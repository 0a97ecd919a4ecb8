#include "compiler/tune/candidates.h"

#include "compiler/tune/parallel.h"
#include "isa/support/error.h"

namespace vta::compiler::tune {
namespace {

void Try(const Space& space, const Measurer& measurer, Candidate* candidate) {
  try {
    const Trial trial = space.Try(candidate->point);
    candidate->cost = measurer.Measure(trial);
    if (const auto* program = std::get_if<ProgramCode>(&trial.code))
      candidate->program = program->joinable;
  } catch (const Error& error) {
    candidate->failure = error.what();
  }
}

}  // namespace

std::vector<Candidate> CandidatesOf(const Space& space, std::span<const Point> points) {
  std::vector<Candidate> candidates;
  for (const Point& point : points) candidates.push_back({point, space.Estimate(point)});
  return candidates;
}

void MeasureAll(const Space& space, const Measurer& measurer, int64_t jobs,
                std::span<Candidate> candidates) {
  std::vector<Candidate*> left;
  for (Candidate& candidate : candidates)
    if (!candidate.cost && candidate.failure.empty()) left.push_back(&candidate);
  InParallel(jobs, left.size(), [&](size_t i) { Try(space, measurer, left[i]); });
}

const Candidate* Best(std::span<const Candidate> candidates) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates)
    if (candidate.cost && (!best || *candidate.cost < *best->cost)) best = &candidate;
  return best;
}

}  // namespace vta::compiler::tune
