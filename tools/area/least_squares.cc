#include "tools/area/least_squares.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "isa/support/error.h"

namespace vta::tools {

std::vector<double> LeastSquares(const std::vector<Sample>& samples) {
  VTA_CHECK(!samples.empty(), samples.size());
  const size_t terms = samples[0].terms.size();
  // Columns of a like size, so that what keeps the equations solvable is alike to all.
  std::vector<double> scale(terms, 0);
  for (const Sample& sample : samples)
    for (size_t t = 0; t < terms; ++t)
      scale[t] = std::max(scale[t], std::abs(sample.terms[t] / sample.unit));
  std::ranges::replace(scale, 0.0, 1.0);
  // The normal equations, with the right side behind.
  std::vector<std::vector<double>> matrix(terms, std::vector<double>(terms + 1));
  constexpr double kRidge = 1e-6;
  for (size_t i = 0; i < terms; ++i) {
    for (const Sample& sample : samples) {
      const double own = sample.terms[i] / sample.unit / scale[i];
      for (size_t j = 0; j < terms; ++j)
        matrix[i][j] += own * sample.terms[j] / sample.unit / scale[j];
      matrix[i][terms] += own * sample.value / sample.unit;
    }
    matrix[i][i] += kRidge;
  }
  // Gauss and Jordan; the matrix is positive definite, so that pivots need no search.
  for (size_t i = 0; i < terms; ++i)
    for (size_t j = 0; j < terms; ++j) {
      if (i == j) continue;
      const double factor = matrix[j][i] / matrix[i][i];
      for (size_t k = i; k <= terms; ++k) matrix[j][k] -= factor * matrix[i][k];
    }
  std::vector<double> factors(terms);
  for (size_t i = 0; i < terms; ++i) factors[i] = matrix[i][terms] / matrix[i][i] / scale[i];
  return factors;
}

}  // namespace vta::tools
