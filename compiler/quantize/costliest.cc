#include "compiler/quantize/costliest.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/quantize/error.h"
#include "compiler/quantize/search_ranges.h"
#include "compiler/quantize/trial.h"

namespace vta::compiler::quantize {

std::vector<Cost> Costliest(const Result& result, const Calibration& calibration, size_t most) {
  constexpr size_t kTried = 12;
  constexpr int64_t kMostSamples = 8;
  constexpr double kLeast = 0.05;
  std::vector<Judge> outputs;
  for (size_t i = 0; i < result.real.outputs().size(); ++i) outputs.push_back({kNone, i});
  const int64_t samples =
      RunsFor(WorkOf(result.real, result.plan)) / (8 * std::ssize(result.plan.points));
  const Trial trial(result.plan, result.quantised, outputs, calibration,
                    std::clamp<int64_t>(samples, 1, kMostSamples));
  const auto tell = [&](size_t done, size_t all) {
    if (calibration.on_sample)
      calibration.on_sample("pricing layers", static_cast<int64_t>(done),
                            static_cast<int64_t>(all));
  };
  Setting setting = Unrounded(trial.setting());
  const Judged unrounded = trial.Run(setting);
  const size_t count = setting.scales.size();
  std::vector<double> alone;
  for (size_t p = 0; p < count; ++p) {
    tell(p + 1, count + kTried);
    setting.scales[p] = trial.setting().scales[p];
    alone.push_back(Decibels(NoiseBetween(unrounded, trial.Run(setting))));
    setting.scales[p].reset();
  }
  std::vector<size_t> points(count);
  std::iota(points.begin(), points.end(), 0);
  std::ranges::stable_sort(points, std::less(), [&](size_t p) { return alone[p]; });
  points.resize(std::min(points.size(), kTried));
  const Judged want = trial.RunOther(result.real);
  setting = trial.setting();
  const double whole = Decibels(NoiseBetween(want, trial.Run(setting)));
  std::vector<Cost> costs;
  for (size_t i = 0; i < points.size(); ++i) {
    tell(count + i + 1, count + kTried);
    const auto scale = std::exchange(setting.scales[points[i]], std::nullopt);
    const double gain = Decibels(NoiseBetween(want, trial.Run(setting))) - whole;
    setting.scales[points[i]] = scale;
    if (gain >= kLeast)
      costs.push_back({result.plan.points[points[i]].layer, gain, alone[points[i]]});
  }
  std::ranges::stable_sort(costs, std::greater(), &Cost::gain);
  costs.resize(std::min(costs.size(), most));
  return costs;
}

}  // namespace vta::compiler::quantize
