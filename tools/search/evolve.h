// A search of spaces that are too large to cost every point of: NSGA-II, by pagmo.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace vta::tools {

/// Numbers of values, one of each parameter.
using Genes = std::vector<int32_t>;

/// The objectives of each of these points, all to be small. Called once a generation.
using GenerationValues =
    std::function<std::vector<std::vector<double>>(const std::vector<Genes>& points)>;

/// What is bred: of each parameter so many values, of objectives so many.
struct Breeding {
  std::vector<int64_t> values;
  size_t objectives = 1;
  uint64_t seed = 1;
};

/// Generations of points bred of those that nothing beats, beginning with `first`, as long as
/// `goes_on` says so. `first`: at least 8 points, a multiple of 4, which is the size of a
/// generation. Errors: throws Error where the library of searches cannot be loaded.
void Evolve(const Breeding& breeding, const std::vector<Genes>& first,
            const GenerationValues& values, const std::function<bool()>& goes_on);

}  // namespace vta::tools
