// When the steps of several samples run that share an accelerator and a host: what a pipeline
// reaches where the time of its steps is known and only modelled.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace vta::runtime {

/// Samples in flight where nobody says how many: while one is on the accelerator, another is on the
/// host.
inline constexpr int64_t kUsuallyInFlight = 2;

enum class Worker : uint8_t { kDevice, kHost };

struct TimedStep {
  Worker worker = Worker::kDevice;
  std::chrono::nanoseconds time{};
};

/// From its first step to the end of its last one, since the first sample began.
struct SampleTime {
  std::chrono::nanoseconds begin{}, end{};
  bool operator==(const SampleTime&) const = default;
};

/// Each sample runs the same steps in order; a worker runs one step at a time and takes, of those
/// that wait for it, the one of the earliest sample; `in_flight` samples have begun and not ended,
/// as long as there are so many. So does the Pipeline. Errors: aborts where in_flight is below 1.
std::vector<SampleTime> ScheduleSamples(std::span<const TimedStep> steps, int64_t samples,
                                        int64_t in_flight);

/// What many samples, one after the other, come to.
struct Throughput {
  int64_t in_flight = 1;
  std::chrono::nanoseconds alone{};       // one sample, nothing beside it
  std::chrono::nanoseconds latency{};     // a sample among the others
  std::chrono::nanoseconds period{};      // from the end of one sample to that of the next
  double device_busy = 0, host_busy = 0;  // shares of the time, 0 to 1

  double per_second() const { return period.count() > 0 ? 1e9 / double(period.count()) : 0; }
};

/// Of the schedule, when it has settled. Units: means of whole ns.
Throughput SteadyThroughput(std::span<const TimedStep> steps, int64_t in_flight);

}  // namespace vta::runtime
