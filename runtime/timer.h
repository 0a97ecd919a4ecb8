// Times a step or a whole inference on any device, often enough to say how sure the time is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/session.h"
#include "runtime/step_clock.h"

namespace vta::runtime {

struct TimerOptions {
  int64_t number = 1;  // runs of a measurement
  int64_t repeat = 3;  // measurements
  std::chrono::nanoseconds min_time =
      {};  // of a measurement: its runs grow in number to take as long
};

/// Runs of a measurement, however short they are.
inline constexpr int64_t kMostTimerRuns = 1'000'000;

/// Units: ns of one run.
struct Timing {
  StepClock clock;              // what the times are
  int64_t number = 0;           // runs of the last measurement
  std::vector<double> results;  // the mean of each measurement's runs

  double mean() const;
  /// Of the results, as a sample of all that there could be; 0 of a single one.
  double deviation() const;
};

/// Calls `run`, which returns what it took, once to warm up and then number times in each of repeat
/// measurements. A measurement that takes less than min_time is thrown away and made again with
/// more runs, kMostTimerRuns at most; those after it begin with as many.
/// Errors: throws ArgumentError where number, repeat or min_time is out of range; and what `run`
/// throws.
Timing Measure(const TimerOptions& options, const std::function<std::chrono::nanoseconds()>& run);

/// One step, on what the session's memory holds: how long a program runs does not depend on that.
/// Errors: as Measure and Session::RunStep.
Timing MeasureStep(Session& session, int64_t step, const TimerOptions& options);
/// Whole inferences; wall times have the copies of inputs and outputs in them, modelled ones not.
/// Errors: as Measure and Infer.
Timing MeasureInference(Session& session, std::span<const std::span<const uint8_t>> inputs,
                        const TimerOptions& options);

}  // namespace vta::runtime
