// Searches of a space by a cost model and at random, for benchmarks that hold them side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "compiler/tune/proposer.h"

namespace vta::tools {

/// Gives those a cost or a failure that have none.
using MeasureCandidates = std::function<void(std::span<compiler::tune::Candidate>)>;

struct SearchedSpace {
  const compiler::tune::Space& space;
  int64_t trials = 0;  // of each search
  MeasureCandidates measure;
};

/// Tries points that are drawn evenly of these.
std::vector<compiler::tune::Candidate> SearchAtRandom(const SearchedSpace& searched,
                                                      std::vector<compiler::tune::Point> points,
                                                      uint64_t seed);
/// As Tuner searches: `first` is tried first, in batches, then what is proposed. All are described.
std::vector<compiler::tune::Candidate> SearchByModel(
    const SearchedSpace& searched, std::vector<compiler::tune::Candidate> first,
    const std::vector<compiler::tune::Examples>& others, compiler::tune::Proposer* proposer);

/// The share of pairs, of costs that differ by more than chance, that a model which learns from the
/// examples orders as costs do; no number where there is no pair. The candidates are described.
double RankedBy(const std::vector<compiler::tune::Examples>& examples,
                std::span<const compiler::tune::Candidate> candidates);

/// Those whose points are not among the others'.
std::vector<compiler::tune::Candidate> Without(
    std::span<const compiler::tune::Candidate> candidates,
    std::span<const compiler::tune::Candidate> others);

}  // namespace vta::tools
