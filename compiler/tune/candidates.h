// Candidates of a space and their costs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/tune/measurer.h"
#include "compiler/tune/space.h"

namespace vta::compiler::tune {

struct Candidate {
  Point point;
  int64_t estimate = 0;
  std::optional<int64_t> cost = std::nullopt;
  int64_t times = 1;                                  // of which the cost is the median
  std::string failure = "";                           // why there is no cost, once it was tried
  std::shared_ptr<const Joinable> program = nullptr;  // what a trial kept, if it was tried here
  loop::Features features = {};                       // where a cost model asked for them
};

/// Of points that the space has, untried.
std::vector<Candidate> CandidatesOf(const Space& space, std::span<const Point> points);
/// Tries those that have neither cost nor failure, so many at once; what comes of it does not
/// depend on how many.
void MeasureAll(const Space& space, const Measurer& measurer, int64_t jobs,
                std::span<Candidate> candidates);
/// The cheapest, the first of equals; nullptr where none has a cost.
const Candidate* Best(std::span<const Candidate> candidates);

}  // namespace vta::compiler::tune
