// Factors of terms by least squares.
#pragma once

#include <vector>

namespace vta::tools {

/// A row: what terms are worth there, the value that they make up, and what a distance from it is
/// measured in (more than 0).
struct Sample {
  std::vector<double> terms;
  double value = 0, unit = 1;
};

/// The factors whose sums of products with the samples' terms come closest to their values: one a
/// term. Terms that the samples do not tell apart share their factor; a term that all have as 0 has
/// the factor 0. Samples: one at least, all with as many terms.
std::vector<double> LeastSquares(const std::vector<Sample>& samples);

}  // namespace vta::tools
