#include "tools/explore/front.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "isa/support/error.h"

namespace vta::tools {
namespace {

/// Of the rows' groups by `key`: the sum of squares of their means about the mean of all, each as
/// often as it has rows.
template <typename Key>
double BetweenGroups(const std::vector<double>& values, double mean, const Key& key) {
  std::map<int64_t, std::pair<double, int64_t>> groups;
  for (size_t i = 0; i < values.size(); ++i) {
    auto& [sum, rows] = groups[key(i)];
    sum += values[i];
    ++rows;
  }
  double squares = 0;
  for (const auto& [ignored, group] : groups) {
    const auto rows = static_cast<double>(group.second);
    const double off = group.first / rows - mean;
    squares += rows * off * off;
  }
  return squares;
}

double Volume(std::vector<std::vector<double>> rows, const std::vector<double>& corner,
              size_t objectives) {
  if (rows.empty()) return 0;
  if (objectives == 1) {
    double least = corner[0];
    for (const auto& row : rows) least = std::min(least, row[0]);
    return corner[0] - least;
  }
  // Slices along the last objective, each the volume of the rows that reach it.
  const size_t last = objectives - 1;
  std::ranges::sort(rows, {}, [last](const auto& row) { return row[last]; });
  double volume = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double next = i + 1 < rows.size() ? rows[i + 1][last] : corner[last];
    if (next <= rows[i][last]) continue;
    volume +=
        (next - rows[i][last]) *
        Volume({rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(i) + 1}, corner, last);
  }
  return volume;
}

}  // namespace

bool IsAsGood(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return x <= y; });
}

std::vector<size_t> ParetoFront(const std::vector<std::vector<double>>& rows) {
  // A row is only beaten by one that sorts before it.
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return rows[a] < rows[b]; });
  std::vector<size_t> front;
  for (const size_t row : order)
    if (std::ranges::none_of(front, [&](size_t of) { return IsAsGood(rows[of], rows[row]); }))
      front.push_back(row);
  std::ranges::sort(front);
  return front;
}

double Hypervolume(std::vector<std::vector<double>> rows, const std::vector<double>& corner) {
  VTA_CHECK(!corner.empty() && corner.size() <= 6, corner.size());
  std::erase_if(rows, [&](const auto& row) {
    return !std::ranges::equal(row, corner, [](double x, double y) { return x < y; });
  });
  return Volume(std::move(rows), corner, corner.size());
}

std::vector<Effect> Effects(const std::vector<std::vector<int32_t>>& points,
                            const std::vector<int64_t>& counts, const std::vector<double>& values) {
  if (values.empty()) return {};
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double all = 0;
  for (const double value : values) all += (value - mean) * (value - mean);
  if (all <= 0) return {};
  std::vector<Effect> effects;
  std::vector<double> alone(counts.size());
  for (size_t p = 0; p < counts.size(); ++p) {
    alone[p] = BetweenGroups(values, mean, [&](size_t i) { return points[i][p]; }) / all;
    Effect& effect = effects.emplace_back(Effect{{p}, alone[p], {}});
    std::vector<int64_t> rows(static_cast<size_t>(counts[p]));
    effect.means.resize(rows.size());
    for (size_t i = 0; i < values.size(); ++i) {
      effect.means[static_cast<size_t>(points[i][p])] += values[i];
      ++rows[static_cast<size_t>(points[i][p])];
    }
    for (size_t v = 0; v < rows.size(); ++v)
      effect.means[v] = rows[v] > 0 ? effect.means[v] / static_cast<double>(rows[v])
                                    : std::numeric_limits<double>::quiet_NaN();
  }
  for (size_t p = 0; p < counts.size(); ++p)
    for (size_t q = p + 1; q < counts.size(); ++q) {
      const double both =
          BetweenGroups(values, mean,
                        [&](size_t i) { return points[i][p] * counts[q] + points[i][q]; }) /
          all;
      effects.push_back({{p, q}, std::max(0.0, both - alone[p] - alone[q]), {}});
    }
  std::ranges::stable_sort(effects, std::greater(), &Effect::share);
  return effects;
}

}  // namespace vta::tools
