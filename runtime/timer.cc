#include "runtime/timer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "isa/support/error.h"

namespace vta::runtime {
namespace {

using std::chrono::nanoseconds;

void CheckOptions(const TimerOptions& options) {
  const auto refuse = [](const char* what, int64_t value, const std::string& rule) {
    throw ArgumentError("timer", what, std::to_string(value), rule);
  };
  if (options.number < 1 || options.number > kMostTimerRuns)
    refuse("number", options.number, StrCat("must be 1 to ", kMostTimerRuns));
  if (options.repeat < 1 || options.repeat > kMostTimerRuns)
    refuse("repeat", options.repeat, StrCat("must be 1 to ", kMostTimerRuns));
  if (options.min_time.count() < 0)
    refuse("min_time", options.min_time.count(), "must not be negative");
}

// Runs that should take `wanted`, where `number` took `took`: a tenth more, so that noise seldom
// asks for another try, and at least twice as many, so that tries are few.
int64_t MoreRuns(int64_t number, nanoseconds took, nanoseconds wanted) {
  double runs = 2.0 * static_cast<double>(number);
  if (took.count() > 0)
    runs = std::max(runs, 1.1 * static_cast<double>(number) * static_cast<double>(wanted.count()) /
                              static_cast<double>(took.count()));
  return static_cast<int64_t>(std::min(runs, static_cast<double>(kMostTimerRuns)));
}

}  // namespace

double Timing::mean() const {
  VTA_CHECK(!results.empty());
  return std::accumulate(results.begin(), results.end(), 0.0) / static_cast<double>(results.size());
}

double Timing::deviation() const {
  if (results.size() < 2) return 0;
  const double middle = mean();
  double sum = 0;
  for (const double result : results) sum += (result - middle) * (result - middle);
  return std::sqrt(sum / static_cast<double>(results.size() - 1));
}

Timing Measure(const TimerOptions& options, const std::function<nanoseconds()>& run) {
  CheckOptions(options);
  Timing timing;
  timing.number = options.number;
  run();
  for (int64_t m = 0; m < options.repeat; ++m) {
    for (;;) {
      nanoseconds took{};
      for (int64_t i = 0; i < timing.number; ++i) took += run();
      if (took >= options.min_time || timing.number == kMostTimerRuns) {
        timing.results.push_back(static_cast<double>(took.count()) /
                                 static_cast<double>(timing.number));
        break;
      }
      timing.number = MoreRuns(timing.number, took, options.min_time);
    }
  }
  return timing;
}

Timing MeasureStep(Session& session, int64_t step, const TimerOptions& options) {
  const StepClock clock = ClockOf(session.package(), session.device());
  StepProfile profile;
  Timing timing = Measure(options, [&] {
    session.RunStep(step, &profile);
    return clock.TimeOf(profile);
  });
  timing.clock = clock;
  return timing;
}

Timing MeasureInference(Session& session, std::span<const std::span<const uint8_t>> inputs,
                        const TimerOptions& options) {
  const StepClock clock = ClockOf(session.package(), session.device());
  RunProfile profile;
  std::vector<std::vector<uint8_t>> outputs = OutputsOf(session.package());
  Timing timing = Measure(options, [&] {
    // To tell steps apart may take time of its own.
    if (clock.kind == TimeKind::kModelled) {
      InferInto(session, inputs, outputs, &profile);
      return clock.TimeOf(profile);
    }
    const auto start = std::chrono::steady_clock::now();
    InferInto(session, inputs, outputs);
    return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start);
  });
  timing.clock = clock;
  return timing;
}

}  // namespace vta::runtime
