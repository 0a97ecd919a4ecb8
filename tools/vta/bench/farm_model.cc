#include "tools/vta/bench/farm_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace vta::tools {
namespace {

constexpr double kWarmS = 1000, kEndS = 1500;  // of simulated time: what is counted is between
constexpr double kMostJobs = 256;              // of a batch
constexpr double kMostWaiting = 0.99;          // of the server's time
constexpr int64_t kHeardAtOnce = 64;           // messages
constexpr double kLookShare = 1.05;            // of the search, which also looks at its workers

enum class What : uint8_t { kDone, kHeard, kKept, kSent };
struct Event {
  double at;
  What what;
  int64_t count;  // of batches
  bool operator>(const Event& other) const { return at > other.at; }
};

class FarmModel {
 public:
  FarmModel(const FarmTimes& times, int64_t workers, uint64_t seed)
      : times_(times),
        workers_(workers),
        jobs_(std::clamp(std::floor(1 / times.job_s), 1.0, kMostJobs)),
        waiting_share_(std::min(
            times.search_share + static_cast<double>(workers) * times.worker_share, kMostWaiting)),
        random_(seed),
        batch_(jobs_, times.job_s) {}

  FarmForecast Run() {
    idle_ = workers_;
    const int64_t sent = 2 * workers_ + 1;
    for (int64_t i = 0; i < sent; ++i)
      Add(static_cast<double>(i + 1) * jobs_ * times_.tuner_s, What::kSent, 1);
    while (events_.top().at < kEndS) {
      const Event event = events_.top();
      events_.pop();
      Happen(event);
    }
    constexpr double kCounted = kEndS - kWarmS;
    FarmForecast forecast;
    forecast.jobs_per_s = static_cast<double>(done_) * jobs_ / kCounted;
    forecast.efficiency = forecast.jobs_per_s * times_.job_s / static_cast<double>(workers_);
    forecast.tuner = tuner_s_ / kCounted, forecast.log = log_s_ / kCounted;
    forecast.server = waiting_share_ + (1 - waiting_share_) * server_s_ / kCounted;
    return forecast;
  }

 private:
  void Add(double at, What what, int64_t count) { events_.push({at, what, count}); }
  static double Counted(double at, double seconds) { return at >= kWarmS ? seconds : 0; }

  /// One message, behind those that came before; when it is through.
  double Serve(double at) {
    const double seconds = times_.server_s / 2 / (1 - waiting_share_);
    server_free_ = std::max(server_free_, at) + seconds;
    server_s_ += Counted(at, seconds);
    return server_free_ + times_.network_s;
  }
  void Begin(double at) {
    for (; idle_ > 0 && waiting_ > 0; --idle_, --waiting_)
      Add(at + times_.network_s + batch_(random_), What::kDone, 1);
  }
  void Hear(double at) {
    if (busy_ || heard_ == 0) return;
    busy_ = true;
    const int64_t count = std::min(heard_, kHeardAtOnce);
    heard_ -= count;
    const double work = kLookShare * static_cast<double>(count) * jobs_ * times_.tuner_s;
    tuner_s_ += Counted(at, work), log_s_ += Counted(at, times_.append_s);
    Add(at + work + times_.append_s, What::kKept, count);
  }

  void Happen(const Event& event) {
    switch (event.what) {
      case What::kDone:
        ++idle_;
        done_ += event.at >= kWarmS;
        Add(Serve(event.at), What::kHeard, 1);
        return Begin(event.at);
      case What::kHeard:
        heard_ += event.count;
        return Hear(event.at);
      case What::kKept:
        busy_ = false;
        for (int64_t i = 0; i < event.count; ++i) Add(Serve(event.at), What::kSent, 1);
        return Hear(event.at);
      case What::kSent:
        waiting_ += event.count;
        return Begin(event.at);
    }
  }

  const FarmTimes times_;
  const int64_t workers_;
  const double jobs_;           // of a batch
  const double waiting_share_;  // of the server's time, that who waits takes
  std::mt19937_64 random_;
  std::gamma_distribution<double> batch_;  // the sum of so many exponential times
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  int64_t idle_ = 0, waiting_ = 0, heard_ = 0, done_ = 0;
  bool busy_ = false;
  double server_free_ = 0, tuner_s_ = 0, log_s_ = 0, server_s_ = 0;
};

}  // namespace

FarmForecast SimulateFarm(const FarmTimes& times, int64_t workers, uint64_t seed) {
  return FarmModel(times, workers, seed).Run();
}

}  // namespace vta::tools
