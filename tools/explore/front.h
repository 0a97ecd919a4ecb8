// Which points nothing beats: the Pareto front of several objectives, and what each parameter does
// to an objective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vta::tools {

/// The rows that no other row beats: is nowhere worse, and better somewhere. All values are to be
/// small, and none is a NaN. Of equal rows the first. Rows: points; columns: objectives. In the
/// order of the rows.
std::vector<size_t> ParetoFront(const std::vector<std::vector<double>>& rows);

/// Whether a beats b, or is equal.
bool IsAsGood(const std::vector<double>& a, const std::vector<double>& b);

/// The volume between the rows and the corner, which is worse than all of them in each objective:
/// of two fronts the larger is the better one. Objectives: 1 to 6; exact.
double Hypervolume(std::vector<std::vector<double>> rows, const std::vector<double>& corner);

/// How much of an objective's variance one parameter explains, or two beyond each by itself.
struct Effect {
  std::vector<size_t> parameters;  // one or two
  double share = 0;                // of the variance
  std::vector<double> means;       // of one parameter: by its value; NaN where no point has it
};

/// Of points by numbers of values: one column a parameter, `counts` values each. By sums of squares
/// about the means: exact where every combination is there once, else a guide. From the largest.
std::vector<Effect> Effects(const std::vector<std::vector<int32_t>>& points,
                            const std::vector<int64_t>& counts, const std::vector<double>& values);

}  // namespace vta::tools
