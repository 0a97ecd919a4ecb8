#include "runtime/schedule.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "isa/support/error.h"

namespace vta::runtime {
namespace {

using std::chrono::nanoseconds;

// The samples whose ends are looked at, after as many in which the schedule settles, and before as
// many that keep it so: the last ones have the workers to themselves.
constexpr int64_t kSettling = 32;

class Scheduler {
 public:
  Scheduler(std::span<const TimedStep> steps, int64_t samples, int64_t in_flight)
      : steps_(steps), in_flight_(in_flight), times_(static_cast<size_t>(samples)) {}

  std::vector<SampleTime> Run() && {
    for (;;) {
      Begin();
      for (const Worker worker : {Worker::kDevice, Worker::kHost}) Start(worker);
      nanoseconds next = nanoseconds::max();
      for (const auto& running : running_)
        if (running) next = std::min(next, running->end);
      if (next == nanoseconds::max()) return std::move(times_);
      now_ = next;
      for (auto& running : running_)
        if (running && running->end == now_) End(running);
    }
  }

 private:
  struct Flying {
    int64_t sample;
    size_t step = 0;  // that runs, or is next
    bool runs = false;
  };
  struct Running {
    int64_t sample;
    nanoseconds end;
  };

  void Begin() {
    while (std::ssize(flying_) < in_flight_ && begun_ < std::ssize(times_)) {
      times_[begun_] = {now_, now_};
      if (!steps_.empty()) flying_.push_back({begun_});
      ++begun_;
    }
  }
  // Those in flight stand in the order of their numbers.
  void Start(Worker worker) {
    std::optional<Running>& running = running_[static_cast<size_t>(worker)];
    if (running) return;
    for (Flying& flying : flying_) {
      if (flying.runs || steps_[flying.step].worker != worker) continue;
      flying.runs = true;
      running = {flying.sample, now_ + steps_[flying.step].time};
      return;
    }
  }
  void End(std::optional<Running>& running) {
    const auto flying = std::ranges::find(flying_, running->sample, &Flying::sample);
    running.reset();
    flying->runs = false;
    if (++flying->step < steps_.size()) return;
    times_[flying->sample].end = now_;
    flying_.erase(flying);
  }

  std::span<const TimedStep> steps_;
  int64_t in_flight_, begun_ = 0;
  nanoseconds now_{};
  std::vector<Flying> flying_;
  std::array<std::optional<Running>, 2> running_;
  std::vector<SampleTime> times_;
};

}  // namespace

std::vector<SampleTime> ScheduleSamples(std::span<const TimedStep> steps, int64_t samples,
                                        int64_t in_flight) {
  VTA_CHECK(in_flight >= 1 && samples >= 0, in_flight, " ", samples);
  return Scheduler(steps, samples, in_flight).Run();
}

Throughput SteadyThroughput(std::span<const TimedStep> steps, int64_t in_flight) {
  const int64_t settling = kSettling * in_flight, samples = 2 * settling;
  const std::vector<SampleTime> times = ScheduleSamples(steps, samples + settling, in_flight);
  Throughput result{.in_flight = in_flight};
  nanoseconds device{}, host{};
  for (const TimedStep& step : steps) (step.worker == Worker::kHost ? host : device) += step.time;
  result.alone = device + host;
  // Samples end out of order where a later one has the worker that it needs to itself.
  std::vector<nanoseconds> ends;
  for (const SampleTime& time : times) ends.push_back(time.end);
  std::ranges::sort(ends);
  // Where ends come in bursts the last of those looked at may be early: no worker does more than
  // all of its time.
  result.period = std::max({(ends[samples - 1] - ends[settling - 1]) / settling, device, host});
  nanoseconds flown{};
  for (int64_t i = settling; i < samples; ++i) flown += times[i].end - times[i].begin;
  result.latency = flown / settling;
  if (result.period.count() == 0) return result;
  result.device_busy =
      static_cast<double>(device.count()) / static_cast<double>(result.period.count());
  result.host_busy = static_cast<double>(host.count()) / static_cast<double>(result.period.count());
  return result;
}

}  // namespace vta::runtime
