#include "compiler/quantize/costliest.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/quantize/error.h"
#include "compiler/quantize/trial.h"

namespace vta::compiler::quantize {

std::vector<Cost> Costliest(const Result& result, const Calibration& calibration, size_t most) {
  constexpr size_t kTried = 12;
  constexpr int64_t kSamples = 8;
  constexpr double kLeast = 0.05;
  const std::vector<Noise> own = OwnNoise(result.real, result.quantised, calibration);
  std::vector<size_t> points(own.size());
  std::iota(points.begin(), points.end(), 0);
  std::ranges::stable_sort(points, std::less(), [&](size_t p) { return own[p].decibels(); });
  points.resize(std::min(points.size(), kTried));
  const Trial trial(result.real, result.plan, result.quantised, calibration, kSamples);
  Setting setting = SettingOf(result.plan, result.quantised);
  const double whole = trial.Decibels(setting);
  std::vector<Cost> costs;
  for (size_t i = 0; i < points.size(); ++i) {
    if (calibration.on_sample)
      calibration.on_sample("pricing layers", static_cast<int64_t>(i) + 1, std::ssize(points));
    const auto scale = std::exchange(setting.scales[points[i]], std::nullopt);
    const double gain = trial.Decibels(setting) - whole;
    setting.scales[points[i]] = scale;
    if (gain >= kLeast)
      costs.push_back({result.plan.points[points[i]].layer, gain, own[points[i]].decibels()});
  }
  std::ranges::stable_sort(costs, std::greater(), &Cost::gain);
  costs.resize(std::min(costs.size(), most));
  return costs;
}

}  // namespace vta::compiler::quantize
